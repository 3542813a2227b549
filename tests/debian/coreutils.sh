# Cases for coreutils.t; tallytest/both.py says how they are run.
### ls: names, hidden ones, one a line and by columns
touch b a c .hidden; mkdir d
ls; ls -a; ls -A -1; ls -x -w 20; ls -F; ls -d .
### ls -l: modes, links, sizes
umask 022
printf 12345 >file; mkdir folder; ln -s file symbolic; ln file hard; chmod 4751 file; mkfifo fifo
touch -d '2020-02-03 04:05:06' file folder symbolic fifo; touch -h -d 2021-01-01 symbolic
ls -l --time-style=full-iso file symbolic hard fifo | sed 's/root/user/g' | cut -d' ' -f1,2,5-; ls -ld folder | cut -d' ' -f1,2
ls -li file hard | cut -d' ' -f1 | uniq | wc -l
### ls: what is not there
ls missing; echo $?
ls /dev/null
### ls -R: folders below folders
mkdir -p a/b/c x; touch a/1 a/b/2 a/b/c/3; ls -R
### ls -t and -S: by time and by size
touch -d 2001-01-01 old; touch -d 2011-01-01 new; printf 123 >big
ls -t old new; ls -S
### cat: several files, standard input, numbers
printf 'one\n\n\ntwo\n' >a; printf 'x\ty\001\n' >b
cat a b; cat -n a; cat -s a; cat -A b; echo in | cat a - b; cat missing a; echo $?
### cp: contents, modes, folders, links
umask 022
mkdir -p from/sub; echo 1 >from/file; echo 2 >from/sub/file; ln -s file from/link; chmod 640 from/file
cp -r from plain; cp -a from kept; cp from/file one; cp -l from/file hard; cp -s "$PWD/from/file" sym
stat -c '%n %a %F' from/* kept/* plain/* one; stat -c %h from/file; cat sym
cp from other; cp one one; cp missing x; echo $?
### cp: a sparse file of 10 MiB keeps its bytes
truncate -s 10M sparse; printf end >>sparse
cp sparse copy; cmp sparse copy && stat -c %s copy; tail -c 3 copy
### cp --reflink=auto and preserved times
echo x >a; touch -d '2010-10-10 10:10:10.123456789' a; cp -p --reflink=auto a b; stat -c '%y %s' b
### mv: files, folders, over another, into itself
mkdir d e; echo 1 >a; echo 2 >b; mv a b; cat b; mv b d; ls d; mv d e; ls e; mv e e/d/x; mv -n e/d/b e/c; ls e
mv missing x; echo $?
### rm and rmdir
mkdir -p a/b/c; touch a/f; rmdir a; rmdir a/b/c; rm a; rm -r a; ls; rm missing; rm -f missing; echo $?
### rm: a folder of a thousand files
mkdir d; (cd d && seq 1000 | while read -r i; do echo >"$i"; done); ls d | wc -l; rm -r d; ls
### mkdir: parents, modes, existing
umask 022; mkdir -p -m 700 a/b; stat -c '%a %n' a a/b; mkdir a; mkdir x/y; echo $?
### ln, link, readlink, realpath
echo 1 >a; ln a b; ln -s a c; ln -s nowhere d; ln -s loop loop; link a e; stat -c %h a
readlink c d; readlink a; echo $?; readlink -f c | sed 's:.*/::'; realpath -e d; echo $?; cat loop; ln a b
realpath --relative-to=. ./x/../a
### unlink and truncate
echo 12345 >a; truncate -s 2 a; cat a; echo; truncate -s +3 a; od -c a; unlink a; ls; unlink a; echo $?
### touch: times to the nanosecond
touch -d '2001-02-03 04:05:06.123456789' a; stat -c '%y %Y' a; touch -a -d @5 a; stat -c '%X %Y' a; touch -r a b; stat -c '%X %Y' b
touch -c none; ls
### stat: numbers of a file
umask 022; printf 123 >f; mkdir d; ln -s f l; stat -c '%n %s %f %a %A %F %h' f l; stat -c '%f %a %A %F %h' d; stat -c '%N' l
stat -L -c '%s %F' l; stat -c '%t:%T %F' /dev/null /dev/zero; stat missing; echo $?
### chmod: octal and symbolic
umask 022; touch f; for m in 000 755 u+s,g=r,o= a-x +t 7777; do chmod $m f; stat -c '%a %A' f; done
### install: mode and parents
echo 1 >a; install -m 640 -D a x/y/z; stat -c '%a %s' x/y/z
### du and df
mkdir d; head -c 100000 /dev/zero >d/f; du -b d/f; du --apparent-size -k d/f
### dd: blocks, seek, skip, conversion
printf 'abcdefghij' >a; dd if=a bs=2 count=2 skip=1 status=none; echo; dd if=a of=b bs=1 seek=3 status=none; od -c b
dd if=a conv=ucase status=none; echo; printf XY | dd of=a bs=1 seek=4 conv=notrunc status=none; cat a; echo
dd if=/dev/zero bs=64K count=16 status=none | wc -c; dd if=missing; echo $?
### dd: what it reports
dd if=/dev/zero of=/dev/null bs=1000 count=3 2>&1 | head -2
### head and tail
seq 100 >f; head -3 f; tail -2 f; head -c 5 f; head -n -97 f; tail -n +99 f; tail -c 4 f; seq 5 | tail -n 2
### tail -f ends with its process
seq 3 >f; (sleep 0.3; echo more >>f; sleep 0.3) & tail -f --pid=$! -s 0.05 f 2>/dev/null
### wc, nl, cut, tr, paste, join, comm
printf 'a b c\nd e\n' >f; wc f; wc -l -c <f; nl f; cut -d' ' -f2 f; cut -c1-3 f; tr a-z A-Z <f; tr -d ' ' <f
tr -s ' \n' '\n' <f | paste -sd,; printf '1 x\n2 y\n' >j; printf '2 z\n3 w\n' >k; join j k; join -a1 j k; comm j k
### sort: numbers, keys, unique, merged, a big one
printf '10\n9\n2\n10\n' >f; sort f; sort -n f; sort -nru f; printf 'b 1\na 2\n' | sort -k2; sort -c f; echo $?
seq 50000 | sort -r | sha256sum; seq 50000 | shuf | sort -n | md5sum
### sort with a small buffer merges temporary files
seq 30000 | sort -S 64k -T . | cksum; ls
### uniq, tac, shuf, tsort, factor, seq, numfmt, expr
printf 'a\na\nb\na\n' | uniq -c; seq 3 | tac; seq 10 | shuf | sort -n | head -1; printf 'a b\nb c\n' | tsort
factor 18446744073709551557 1001; seq -w 8 2 12; seq -s: 1 0.5 2; numfmt --to=iec 1048576; expr 6 '*' 7; expr a : 'b'; echo $?
### sums of bytes
seq 10000 >f; md5sum f; sha256sum f | tee sum; sha256sum -c sum; sum f; cksum f; base64 f | base64 -d | cmp - f; echo $?
### od, fold, fmt, expand, pr
printf 'a\tb\0\377' >f; od -An -tx1 f; od -c f; printf 'long words to fold\n' | fold -w 7; printf 'a\tb\n' | expand | od -c
seq 20 | fmt -w 20; seq 6 | pr -3 -t -w 30; printf 'a       b\n' | unexpand -a | od -c
### split and cat together
seq 1000 >f; split -l 300 f part.; ls; cat part.* | cmp - f; split -n 3 f n.; cat n.* | cmp - f; split -b 1K --filter='wc -c' f
### tee and pipes that close early
echo x | tee a b; cat a b; yes | head -2; seq 100000 | head -1; echo ${PIPESTATUS[*]}; echo y | tee -a a >/dev/null; cat a
### date: formats and arithmetic
date -u -d @0; date -u -d '2024-02-29 +1 year' +%F; date -u -d @1700000000 '+%Y-%m-%d %H:%M:%S %j %U %a %b'; date -d bad; echo $?
### date: now is later than this test
test "$(date +%s)" -gt 1700000000 && echo yes
### env, printenv and an empty environment
env -i A=1 B=2 env; env -i A=1 printenv A; env -u HOME printenv HOME; echo $?; env no-such-program; echo $?; env -C / pwd
### id and whoami of the superuser
test "$(id -u)" = 0 && { id; whoami; } || printf 'uid=0(root) gid=0(root) groups=0(root)\nroot\n'
### nice: the value is inherited
base=$(nice); echo $(($(nice -n 5 nice) - base)) $(($(nice -n 5 nice -n 3 nice) - base)); nice -n 40 nice
### timeout: in time, too late, other signals
timeout 100 true; echo $?; timeout 0.2 sleep 100; echo $?; timeout -s INT 0.2 sleep 100; echo $?
# The signal comes when timeout sleeps: one between its fork and its note of the child's number makes it leave the child.
(timeout -k 0.1 100 bash -c 'trap "" TERM; until read -r _ _ state _ </proc/$PPID/stat; [ "$state" = S ]; do sleep 0.01; done
kill -ALRM $PPID; while :; do sleep 0.05; done'; echo $?) 2>/dev/null
timeout --preserve-status 0.2 sleep 100; echo $?
### sleep, true, false, test, pathchk, basename, dirname
sleep 0.01; false; echo $?; test 3 -gt 2 -a -n x; echo $?; basename /a/b.c .c; dirname /a/b/c; pathchk -p 'a:b'; echo $?
### stdbuf: a library that is preloaded
stdbuf -oL echo through; stdbuf -o0 cat </dev/null; echo $?
### nohup and a hangup
nohup bash -c 'kill -HUP $$; echo survived' </dev/null 2>/dev/null
### mkfifo: two ends meet
mkfifo f; (cat f >got) & echo through >f; wait; cat got; test -p f; echo $?
### mktemp and shred
f=$(mktemp ./XXXXXX); stat -c '%a %s' "$f"; echo secret >"$f"; shred -u "$f"; ls
### uname and tty
uname -sm; uname -o; tty; echo $?
### nproc agrees with the mask
test "$(nproc)" -ge 1; echo $?; OMP_NUM_THREADS=3 nproc
### modes are enforced by open
touch f; chmod 0 f; test "$(id -u)" = 0 && cat f; echo done
### a full device and an empty one
echo x >/dev/full; echo $?; head -c 3 /dev/zero | od -An -c; cat /dev/null
### long names and too long ones
n=$(printf 'x%.0s' {1..255}); touch "$n"; ls | wc -c; touch "x$n" 2>&1 | sed 's/x*x//'; echo "${PIPESTATUS[0]}"
### yes into a closed pipe ends by the signal
(yes; echo $? >status) | head -1; cat status

# Cases for bash.t; tallytest/both.py says how they are run.
### pipes: many stages, statuses of each, pipefail
seq 1000 | grep 7 | sed 's/7/x/' | sort -u | wc -l; false | true; echo $? "${PIPESTATUS[@]}"
set -o pipefail; false | true; echo $?
### pipes: a megabyte through five processes
head -c 1048576 /dev/zero | tr '\0' a | cat | cat | wc -c
### here documents and here strings
x=5; cat <<A; cat <<'B'; cat <<-C; cat <<<"one $x"
$x $((x * 2)) $(echo sub)
A
$x stays
B
	no tab
C
### a here document longer than a pipe
n=$(seq 20000); cat <<A | wc
$n
A
### command substitution: nested, large, statuses
echo "$(echo "$(echo deep)")"; x=$(seq 100000); echo ${#x}; y=$(exit 7); echo $?
### redirections: append, both, duplicates, closing, numbered descriptors
echo 1 >f; echo 2 >>f; cat f; { echo out; echo err >&2; } >both 2>&1; cat both; exec 7<f; read -r l <&7; echo "$l"; exec 7<&-; cat <&7; echo $?
exec 8>g 9>&8; echo to8 >&8; echo to9 >&9; exec 8>&- 9>&-; cat g; echo x 2>&1 >/dev/null | wc -c; set -C; echo no >f; echo $?; echo yes >|f; cat f
exec {fd}<>h; echo rw >&$fd; cat h
### background, wait, statuses, wait -n
(exit 3) & wait $!; echo $?; mkfifo gate; cat gate & (sleep 0.2; exit 4) & wait -n; echo $?; : >gate; wait; echo $?
### wait for a process killed by a signal
sleep 100 & kill $!; wait $!; echo $?; { bash -c 'kill -9 $$'; echo $?; bash -c 'kill -SEGV $$'; echo $?; } 2>/dev/null
### traps: signals, EXIT, ERR, in subshells
trap 'echo usr1' USR1; kill -USR1 $$; trap 'echo bye' EXIT; trap 'echo err' ERR; false; (trap - ERR; false); (echo sub)
trap '' TERM; kill -TERM $$; echo still; bash -c 'kill -TERM $$; echo inherited'; trap
### a trap ends wait
trap 'caught=yes' USR2; sleep 100 & s=$!; (until test -e ended; do kill -USR2 $$; sleep 0.01; done) & k=$!
wait $s; echo $? $caught; : >ended; until wait $k; do :; done; kill $s
### job control: stop, list, continue, foreground
set -m
mkfifo gate; cat gate & p=$!; jobs; kill -STOP %1; wait %1 2>/dev/null; echo $?; jobs; kill -CONT %1; jobs; kill -STOP %1; wait %1 2>/dev/null; echo $?
((while grep -q '^State:.T' /proc/$p/status; do sleep 0.01; done; : >gate) &); fg %1 >/dev/null; echo $?; jobs
### job control: a pipeline is one process group
set -m; exec 2>/dev/null
sleep 20 | sleep 20 & group=$(jobs -p %1); test "$(ps -o pgid= -p $!)" -eq "$group"; echo $?; kill -TERM -- -$group; wait; echo $?
### job control: suspended by itself
set -m
bash -c 'kill -STOP $$; echo went on' & wait %1 2>/dev/null; jobs | sed 's/  */ /g'; fg >/dev/null; echo $?
### subshells, groups and variables
x=1; (x=2; echo $x); echo $x; { x=3; }; echo $x; cd / && (cd /tmp && pwd); pwd; echo $BASH_SUBSHELL $(echo $BASH_SUBSHELL)
### functions, local, recursion, arrays
f() { local n=$1; ((n <= 1)) && echo 1 && return; echo $((n * $(f $((n - 1))))); }; f 10; a=(x y z); a[5]=w; echo ${!a[@]} ${#a[@]} ${a[@]:1:2}; declare -A m=([k]=v); echo ${m[k]}
### expansion: globs, braces, patterns, arithmetic
touch a1 a2 b1 .h; echo *; echo .h*; echo [ab]1; echo {1..3}{x,y}; shopt -s extglob nullglob globstar; echo !(a*); echo nothing*; v=path/to/file.c; echo ${v##*/} ${v%.c} ${v/t/T} ${v^^} $((0x10 ** 2)) $((7 % 3))
mkdir -p d/e; touch d/e/f; echo **
### read, printf, mapfile, getopts, select-less loops
printf '%5.2f|%-5s|%05d|%x|%q\n' 3.14159 ab 42 255 'a b'; while IFS=: read -r a b; do echo "$b-$a"; done <<<$'1:2\n3:4'; mapfile -t m <<<"$(seq 3)"; echo "${m[1]}"
while getopts ab:c o -a -b val -c; do echo "$o $OPTARG"; done; mkfifo gate; exec {g}<>gate; read -t 0.1 x <&$g; echo $((($? > 128)))
### exec replaces the shell, and its failures
(exec true); echo $?; (exec false); echo $?; no-such-command; echo $?; ./nothing; echo $?; touch f; ./f; echo $?; chmod +x f; ./f; echo $?; mkdir d; ./d; echo $?
### scripts: #! with an argument, without, an unknown interpreter, nested
printf '#!/bin/sh -e\nfalse\necho no\n' >a; printf 'echo plain $0 $1\n' >b; printf '#!/no/such\n' >c; printf '#!./a2\n' >d; printf '#!/bin/sh\necho via "$@"\n' >a2; chmod +x a b c d a2
./a; echo $?; ./b x; ./c 2>&1 | sed 's/.*: //'; ./d y
### dash runs a script, reads one, and waits
sh -c 'for i in 1 2 3; do echo $i; done | cat; x=$(echo y); echo $x; exit 3'; echo $?; echo 'echo from stdin' | sh; sh -c 'sleep 0.05 & wait; echo waited'
### umask, ulimit, cd, pwd, OLDPWD
umask 027; umask; touch f; mkdir d; stat -c %a f d; cd d; cd - >/dev/null; cd missing; echo $?; ulimit -n 100; ulimit -n; ulimit -Sn 50; ulimit -Sn; ulimit -Hn; ulimit -c 0; ulimit -c
### too many open files
ulimit -n 20; for ((i = 3; i < 30; i++)); do eval "exec $i</dev/null" 2>/dev/null || break; done; echo $((i > 10))
### environment: export, unset, long values, long arguments
export A=1; bash -c 'echo $A'; A=2 bash -c 'echo $A'; echo $A
printf 'y%.0s' {1..100000} | xargs -0 bash -c 'echo ${#1}' -
seq 5000 | xargs echo | wc -c; bash -c 'echo ${#1}' - "$(head -c 200000 /dev/zero | tr '\0' z)" 2>&1 | sed 's/.*: //'
### coprocesses
coproc C { while read -r l; do echo "got $l"; done; }; echo a >&${C[1]}; read -r r <&${C[0]}; echo $r; exec {C[1]}>&-; wait
### deep recursion of processes
f() { (($1)) && (f $(($1 - 1))) || echo bottom; }; f 40
### two hundred processes at once
p=(); for i in {1..200}; do (exit $((i % 7))) & p+=($!); done; s=0; for i in ${p[@]}; do wait $i; ((s += $?)); done; echo $s
### SIGPIPE and a script that ignores it
(trap '' PIPE; seq 100000 2>err; echo $? >status) | head -1; cat status; sed 's/.*: //' err
### times of a loop are positive
TIMEFORMAT=%R; t=$({ time sleep 0.1; } 2>&1); [[ $t > 0.09 ]] && echo slept; [[ $SECONDS -ge 0 && $EPOCHSECONDS -gt 1700000000 ]]; echo $?
### awk, sed, grep, find, xargs, tar, gzip
seq 100 | awk '{s+=$1} END {print s, NR}'; printf 'a b\nc d\n' | sed -n '2{s/c/X/;p}'; mkdir -p d/e; echo hi >d/e/f; find d | sort; find d -type f -exec cat {} +; grep -rn hi d; seq 6 | xargs -n2 -P2 echo | sort
tar -cf t.tar d; rm -r d; tar -xf t.tar; cat d/e/f; tar -tf t.tar; seq 10000 | gzip -9 | gzip -d | cksum; tar -czf t.gz d && tar -tzf t.gz; sed -i s/hi/ho/ d/e/f; cat d/e/f
### perl: files, processes, sorting
perl -e 'print join(",", sort { $a <=> $b } (10, 9, 2)), "\n"; my $p = fork; if (!$p) { exit 5 } waitpid $p, 0; print $? >> 8, "\n"; print `echo back`; open F, ">", "f"; print F "x" x 10; close F; print -s "f", "\n"; $SIG{ALRM} = sub { print "alarm\n" }; kill ALRM => $$; pipe R, W; syswrite W, "abc"; sysread R, $_, 2; print "$_\n"; opendir D, "."; print join(" ", sort grep !/^\./, readdir D), "\n"'
### ps of one's own process
ps -o comm= -p $$; ps -o ppid= -p $$ | wc -l; ps -e -o comm= | grep -c '^ps$'
### no terminal
test -t 0; echo $?; stty size; echo $?; setsid -w bash -c 'echo in a session of its own; exit 6'; echo $?; : </dev/tty; echo $?
### process substitution
cat <(echo a) <(echo b); diff=$(cmp <(seq 3) <(seq 4) 2>&1); echo "$?"; echo through > >(sed s/t/T/); wait $!; sort <(seq 3 -1 1)
### redirections to the descriptors' names
echo err >/dev/stderr; echo a | cat /dev/stdin; echo a | cat /proc/self/fd/0; echo out >/dev/fd/1
### a large variable and a long argument
B=$(printf 'x%.0s' {1..100000}); export B; bash -c 'echo ${#B}'; printf 'y%.0s' {1..120000} | xargs -0 bash -c 'echo ${#1}' -

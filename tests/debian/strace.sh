# SPDX-License-Identifier: BSD-2-Clause
# Cases of strace.t, see tallytest/both.py; sed takes away what differs from run to run.
### calls of one program
strace -o out -e trace=write,exit_group busybox echo hello
cat out
### status and signals pass through
strace -qq -o out false; echo $?
strace -qq -o out sh -c 'exit 7'; echo $?
bash -c 'strace -qq -o out sh -c "kill -TERM \$\$"; echo $?' 2>/dev/null
tail -1 out
### an ignored signal and a handled one
strace -o out -e trace=kill,rt_sigreturn bash -c 'trap "" HUP; trap "echo caught" USR1; kill -HUP $$; kill -USR1 $$; exit 4'; echo $?
sed 's/\(pid=\|kill(\)[0-9]*/\1N/; s/  *= [0-9]* *$/ = N/' out
### a stop and going on
strace -o out -e trace=exit_group sh -c 'kill -STOP $$; exit 5' & 
until grep -q 'stopped by SIGSTOP' out 2>/dev/null; do sleep .05; done
kill -CONT $(sed -n 's/.*si_pid=\([0-9]*\),.*/\1/p' out | head -1)
wait $!; echo $?
sed 's/pid=[0-9]*/pid=N/' out
### children, each in a file
strace -ff -o out -e trace=write,exit_group sh -c 'busybox echo one; busybox echo two; (exit 3); busybox false; exit 6'; echo $?
for i in out.*; do tail -2 $i; done | sed 's/pid=[0-9]*/pid=N/' | sort
### a pipeline, followed
strace -f -o out -e trace=exit_group -e signal=none sh -c 'busybox echo words | busybox wc -c'; echo $?
sed 's/^[0-9]* *//' out | sort | uniq -c
### threads
seq 140000 >in
strace -f -o out -e trace=exit,exit_group sort --parallel=4 -n -r in -o sorted; echo $?
head -1 sorted
sed 's/^[0-9]* *//' out | sort | uniq -c
### attaching to a process that runs
sleep 100 &
sleeper=$!
strace -o out -e trace=exit_group -p $sleeper 2>/dev/null &
until grep -q 'TracerPid:.[1-9]' /proc/$sleeper/status; do sleep .05; done
kill $sleeper
wait $sleeper; echo $?
wait
sed 's/pid=[0-9]*/pid=N/' out
### detaching leaves it running
sleep 100 &
sleeper=$!
strace -o out -p $sleeper 2>/dev/null &
tracer=$!
until grep -q 'TracerPid:.[1-9]' /proc/$sleeper/status; do sleep .05; done
kill -INT $tracer
wait $tracer
grep TracerPid /proc/$sleeper/status
kill $sleeper
wait $sleeper; echo $?
### results changed by the tracer
strace -qq -o out -e trace=none -e inject=write:error=EIO busybox echo x; echo $?
strace -qq -o out -e trace=write -e inject=write:retval=2 busybox echo x; echo $?
cat out
strace -qq -o out -e trace=none -e inject=exit_group:signal=USR1:when=1 busybox true; echo $?

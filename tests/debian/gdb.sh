### gdb stops at a breakpoint, shows variables, steps, and sees the status
gdb -nx -batch -ex 'set print address off' -ex 'break main' -ex run -ex 'info args argc' -ex next -ex 'print half' \
	-ex 'print argv[1]' -ex 'delete' -ex continue -ex 'print $_exitcode' --args $DEBUGGEE one 2>&1 | same
### it stops in another thread, walks its stack, and finishes a function
gdb -nx -batch -ex 'set print address off' -ex 'tbreak add' -ex run -ex 'backtrace 2' -ex finish -ex 'print $_thread' \
	-ex kill $DEBUGGEE 2>&1 | same
### it watches a variable by the processor's debug registers
gdb -nx -batch -ex 'set print address off' -ex 'watch count' -ex run -ex continue -ex continue -ex 'info watchpoints' -ex kill \
	$DEBUGGEE 2>&1 | same
### it stops at a signal, and withholds it or not
gdb -nx -batch -ex 'set print address off' -ex run -ex 'print $_siginfo.si_signo' -ex 'signal 0' --args $DEBUGGEE two 2>&1 | same
gdb -nx -batch -ex 'set print address off' -ex run -ex continue --args $DEBUGGEE three 2>&1 | same
### it writes to variables, and takes a signal away
gdb -nx -batch -ex 'break 26' -ex run -ex 'set var half = 2.5' -ex 'set var count = 100' \
	-ex continue -ex 'signal 0' --args $DEBUGGEE four 2>&1 | same
### its Python knows the program
gdb -nx -batch -ex 'break add' -ex run -ex 'python print(gdb.selected_frame().name(), gdb.parse_and_eval("amount"))' -ex kill \
	$DEBUGGEE 2>&1 | same

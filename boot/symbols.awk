# SPDX-License-Identifier: BSD-2-Clause
# Makes the table of kernel/log/symbol.c, as assembly, from `nm -n` of the first link.
# nm's letter for the kind precedes each name. Names lose the suffix that the link adds when another file has a
# function of the same name.
# The .symbols section lies after .text, so adding it moves no function.

function hex(digits,    i, value) {
	# The image lies in one 2 GiB piece: the low 32 bits are enough, and exact in awk's numbers.
	digits = substr(digits, length(digits) - 7)
	value = 0
	for (i = 1; i <= length(digits); i++)
		value = value * 16 + index("0123456789abcdef", substr(digits, i, 1)) - 1
	return value
}

$3 == "__text_start" { start = hex($1); next }
$3 == "__text_end" { exit }
start && ($2 == "t" || $2 == "T") && $3 !~ /^\./ {
	offsets[count] = hex($1) - start
	gsub(/\.lto_priv\.[0-9]+/, "", $3)
	names[count++] = $2 $3
}

END {
	if (!count) {
		print "symbols.awk: no functions between __text_start and __text_end" >"/dev/stderr"
		exit 1
	}
	print "\t.section .symbols, \"a\""
	print "\t.balign 8\n\t.global symbol_offsets, symbol_places, symbol_count, symbol_names\nsymbol_offsets:"
	for (i = 0; i < count; i++)
		printf "\t.long %d\n", offsets[i]
	# The place of each 16th name: a place for each would be a fifth of the table.
	print "symbol_places:"
	for (i = 0; i < count; i++) {
		if (i % 16 == 0)
			printf "\t.long %d\n", position
		position += length(names[i]) + 1
	}
	printf "symbol_count:\n\t.long %d\nsymbol_names:\n", count
	for (i = 0; i < count; i++)
		printf "\t.asciz \"%s\"\n", names[i]
	print "\t.section .note.GNU-stack, \"\", @progbits"
}

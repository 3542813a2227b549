# shellcheck shell=bash
# SPDX-License-Identifier: BSD-2-Clause
#
# relay.sh: makes one TAP stream of many guests'. Sourced by run-guest and run-guest-alpha, which
# set $machine to the name of the machine that runs.
# shellcheck disable=SC2154

points=0 failed=0

# Passes the guest's points on under running numbers and with the machine's name.
relay() {
	local line seen=0 plan=
	while IFS= read -r line; do
		line=${line%$'\r'}
		case $line in
		'ok '* | 'not ok '*)
			points=$((points + 1)) seen=$((seen + 1))
			[ "${line%%ok *}" = '' ] || failed=$((failed + 1))
			printf '%s %d - %s [%s]\n' "${line%% [0-9]*}" "$points" "${line#* - }" "$machine"
			;;
		1..*) plan=${line#1..} ;;
		*) printf '# %s\n' "${line#\# }" ;;
		esac
	done
	[ "$plan" = "$seen" ] && [ "$seen" -gt 0 ] && return
	points=$((points + 1)) failed=$((failed + 1))
	echo "not ok $points - the guest ran to its end [$machine]"
	echo "# expected: a plan that fits; got: ${plan:-no plan} after $seen points"
}

# Prints the plan; fails if a point did.
relay_done() {
	echo "1..$points"
	[ "$failed" = 0 ]
}

### the tree's own shell, as at login
bash -lc 'echo $0 $BASH_VERSION; shopt login_shell; pwd; cd; pwd; echo $PATH'
### dpkg's list of packages
dpkg -l
dpkg-query -W -f '${Package} ${Version} ${Architecture} ${Status}\n' | sort | head -n 20
### dpkg knows what it runs on, and compares versions
dpkg --print-architecture
for pair in '1.0 lt 1.1' '1:0 lt 9' '2~rc1 lt 2' '2 gt 10'; do dpkg --compare-versions $pair; echo "$pair: $?"; done
### apt-get, and what it would do
apt-get --version
apt-get -s remove sed grep 2>&1 | tail -n 5
### apt's configuration and what it knows of a package
apt-config dump | head -n 20
apt-cache policy bash | head -n 3
### perl: processes, a signal, a pipe, files
perl -e '$| = 1; print "$]\n"; system("echo from a shell"); $SIG{ALRM} = sub { print "alarm\n" }; alarm 1; sleep 9;
	open(my $pipe, "-|", "ls", "/usr/share") or die; print while <$pipe>; close $pipe;
	if (my $pid = fork) { waitpid $pid, 0; print $? >> 8, "\n" } else { exit 7 }
	opendir(my $folder, "/etc") or die; print join(" ", sort grep !/^\./, readdir $folder), "\n"'
### names, modes, sizes and times are the tree's
find /bin /usr /etc /lib64 -exec stat -c '%N %f %Y' {} + | sort
find /bin /usr /etc -type f -exec stat -c '%n %h %s' {} + | sort
### so are the contents
find /usr/share /etc -type f -exec sha256sum {} + | sort -k 2
### the tree can be written to
cd /root && echo new >file && ln file other && stat -c '%n %h %s' file other && rm file && cat other && rm other
### other programs of it
tar --version | head -n 1; gpgv --version | head -n 1
tar -cf - -C /usr/share/base-files . | tar -tf - | sort

package policy

import (
	"fmt"
	"strings"
	"sync"
)

// effectEntries maps commands to the categories they have whatever they are
// applied to. Each line is written as an entry of a deny list; what depends on
// files is found by what the command writes and reads.
var effectEntries = map[Effect]string{
	DeletesFiles: `rm; rmdir; unlink; shred; srm; wipe; wipefs; mkfs; mke2fs; blkdiscard; find -delete; git clean -f; git rm;
			rsync --delete; rsync --delete-before; rsync --delete-after; rsync --delete-during; rsync --delete-excluded;
			rsync --remove-source-files; tar --remove-files; zip -m; docker volume rm; docker volume prune; docker system prune;
			docker rm; docker rmi; docker image rm; aws s3 rm; aws s3 rb; gsutil rm; gcloud storage rm; trash; trash-put;
			git worktree remove; dropdb`,
	MakesNetworkRequests: `curl; wget; ssh; scp; sftp; ftp; lftp; nc; telnet; socat; ping; ping6; traceroute; tracepath; mtr; dig; host;
			nslookup; whois; nmap; rclone; aria2c; yt-dlp; http; https; xh; httpie; w3m; lynx; links; openssl s_client;
			git fetch; git pull; git push; git clone; git ls-remote; git remote update; git submodule update; git send-email;
			git archive --remote; git lfs; gh; glab; hub; svn; hg pull; hg push; hg clone;
			npm install; npm ci; npm update; npm publish; npm audit; npm view; npm search; npm outdated; npm login; npm exec;
			npm init; npx; bunx; yarn add; yarn install; yarn up; yarn upgrade; yarn dlx; yarn publish; pnpm add; pnpm install;
			pnpm update; pnpm dlx; pnpm publish; bun add; bun install; bun update; pip install; pip download; pip index; pipx install;
			pipx run; uv add; uv sync; uv pip install; uv tool install; uv lock; uvx; poetry add; poetry install; poetry update;
			poetry publish; conda install; conda create; conda update; mamba install; cargo add; cargo install; cargo fetch;
			cargo update; cargo publish; cargo search; go get; go install; go mod download; go mod tidy; gem install; gem push;
			bundle install; bundle update; composer install; composer require; composer update; dotnet restore; dotnet add;
			mvn; apt update; apt install; apt upgrade; apt full-upgrade; apt-get update; apt-get install; apt-get upgrade;
			apt-get dist-upgrade; dnf; yum; zypper; apk add; apk update; apk upgrade; pacman -S; brew install; brew update;
			brew upgrade; snap install; snap refresh; flatpak install; flatpak update; docker pull; docker push; docker login;
			docker build; podman pull; podman push; podman build; kubectl; helm repo; helm install; helm upgrade; helm pull;
			helm push; terraform init; terraform plan; terraform apply; terraform destroy; pulumi; aws; gcloud; gsutil; az;
			doctl; heroku; vercel; netlify; fly; flyctl; wrangler; firebase; twine upload; ansible; ansible-playbook;
			psql -h; mysql -h; redis-cli -h; mail; sendmail; msmtp; swaks; ssh-copy-id; mosh; websocat; grpcurl`,
	ChangesPackages: `npm install; npm ci; npm uninstall; npm update; npm link; npm audit fix; yarn add; yarn install; yarn remove; yarn up;
			yarn upgrade; pnpm add; pnpm install; pnpm remove; pnpm update; bun add; bun install; bun remove; bun update;
			pip install; pip uninstall; pipx install; pipx uninstall; pipx upgrade; uv add; uv remove; uv sync; uv pip install;
			uv pip uninstall; uv pip sync; uv tool install; uv tool uninstall; poetry add; poetry remove; poetry install;
			poetry update; pipenv install; pipenv uninstall; conda install; conda remove; conda create; conda update;
			mamba install; cargo add; cargo remove; cargo install; cargo uninstall; cargo update; go get; go install; go mod tidy;
			gem install; gem uninstall; gem update; bundle install; bundle update; bundle add; composer install; composer require;
			composer remove; composer update; dotnet add; dotnet remove; dotnet restore; apt install; apt remove; apt purge;
			apt autoremove; apt upgrade; apt full-upgrade; apt-get install; apt-get remove; apt-get purge; apt-get autoremove;
			apt-get upgrade; apt-get dist-upgrade; aptitude; dpkg -i; dpkg -r; dpkg -P; dpkg --install; dpkg --remove; dpkg --purge; rpm -i; rpm -U;
			rpm -e; dnf install; dnf remove; dnf upgrade; dnf update; yum install; yum remove; yum update; zypper install;
			zypper remove; apk add; apk del; apk upgrade; pacman -S; pacman -R; pacman -U; brew install; brew uninstall;
			brew upgrade; brew link; snap install; snap remove; snap refresh; flatpak install; flatpak uninstall;
			nix-env; nix profile install; opkg install; luarocks install; cpan; cpanm; update-alternatives`,
	ModifiesOSSettings: `sysctl -w; sysctl -p; sysctl --system; systemctl enable; systemctl disable; systemctl mask; systemctl unmask;
			systemctl edit; systemctl set-default; systemctl set-property; systemctl link; systemctl daemon-reload;
			systemctl set-environment; timedatectl set-time; timedatectl set-timezone; timedatectl set-ntp; hostnamectl set-hostname;
			hostnamectl hostname; localectl set-locale; localectl set-keymap; date -s; hwclock -w; hwclock --systohc;
			update-alternatives --set; update-alternatives --install; modprobe; insmod; rmmod; mount; umount; swapon; swapoff;
			useradd; userdel; usermod; adduser; deluser; groupadd; groupdel; groupmod; passwd; chpasswd; chsh -s; visudo;
			mkfs; mke2fs; fdisk; sfdisk; cfdisk; parted; gdisk; sgdisk; lvcreate; lvremove; vgcreate; vgremove; pvcreate;
			pvremove; mdadm; cryptsetup; blkdiscard; wipefs; ldconfig; grub-install; grub-mkconfig; update-grub;
			update-initramfs; dracut; kexec; debconf-set-selections; dpkg-reconfigure; update-rc.d; chkconfig; rc-update;
			setterm; loadkeys; alternatives --set; apt-mark; apt-key; add-apt-repository; dnf config-manager; tune2fs;
			resize2fs; quotaon; setquota`,
	ModifiesOSUserSettings: `crontab -e; crontab -r; crontab -; git config --global; git config --system; gsettings set; gsettings reset; dconf write;
			dconf load; dconf reset; xdg-settings set; xdg-mime default; chsh; chfn; npm config set; npm config delete; npm set; pip config set;
			systemctl --user enable; systemctl --user disable; systemctl --user mask; loginctl enable-linger; ssh-copy-id;
			defaults write; code --install-extension; gh auth login; gh auth logout; gh config set; kubectl config set;
			kubectl config set-context; kubectl config use-context; docker context use; aws configure set; gcloud config set;
			conda config; conda init; rustup default; pyenv global; rbenv global; nvm alias; claude mcp add; claude config set`,
	ModifiesSecurityControls: `iptables -A; iptables -D; iptables -I; iptables -F; iptables -P;
			iptables -R; iptables -X; iptables -N; ip6tables -A; ip6tables -D; ip6tables -I; ip6tables -F; ip6tables -P;
			iptables-restore; nft add; nft delete; nft flush; nft insert; nft replace; nft -f; ufw enable; ufw disable; ufw allow;
			ufw deny; ufw reject; ufw limit; ufw delete; ufw reset; ufw default; ufw route; firewall-cmd; ipset; setenforce; semanage; setsebool; chcon; restorecon;
			auditctl; aa-disable; aa-complain; aa-teardown; apparmor_parser; passwd; chpasswd; visudo; usermod; gpasswd;
			setcap; chattr; setfacl; chmod u+s; chmod g+s; chmod +s; ssh-add; update-ca-certificates; update-crypto-policies;
			gpg --import; gpg --delete-secret-keys; apt-key; trust anchor; authselect; pam-auth-update; fail2ban-client; spctl; csrutil; cryptsetup`,
	ChangesNetworkConfiguration: `ip address add; ip address del; ip address flush; ip address replace; ip link set; ip link add; ip link del; ip route add;
			ip route del; ip route replace; ip route flush; ip rule add; ip rule del; ip netns add; ip netns del; ip tuntap;
			ifup; ifdown; route add; route del; iptables -A; iptables -D; iptables -I; iptables -F; iptables -P;
			iptables -R; iptables -X; iptables -N; ip6tables -A; ip6tables -D; ip6tables -I; ip6tables -F; ip6tables -P;
			iptables-restore; nft add; nft delete; nft flush; nft insert; nft replace; nft -f; ufw enable; ufw disable; ufw allow;
			ufw deny; ufw reject; ufw limit; ufw delete; ufw reset; ufw default; ufw route; firewall-cmd; ipset; nmcli connection;
			nmcli device; nmcli networking; nmcli radio; nmtui; resolvectl dns; resolvectl domain; resolvconf; iw; iwconfig;
			brctl; tc; wg set; wg-quick; ethtool -s; netplan; networkctl up; networkctl down; dhclient; openvpn; tailscale up;
			tailscale down; networksetup; hostnamectl set-hostname; docker network create; docker network rm`,
	StopsOrRestartsServices: `systemctl stop; systemctl restart; systemctl reload; systemctl try-restart; systemctl reload-or-restart; systemctl kill;
			systemctl isolate; systemctl reboot; systemctl poweroff; systemctl halt; systemctl suspend; systemctl start;
			docker stop; docker restart; docker kill; docker rm; docker compose down; docker compose stop; docker compose restart;
			docker compose kill; docker-compose down; docker-compose stop; docker-compose restart; podman stop; podman restart;
			podman kill; podman rm; supervisorctl stop; supervisorctl restart; supervisorctl reload; supervisorctl shutdown;
			pm2 stop; pm2 restart; pm2 delete; pm2 kill; initctl stop; initctl restart; rc-service; nginx -s; apachectl;
			apache2ctl; launchctl; monit; shutdown; reboot; halt; poweroff; telinit; init; brew services stop; brew services restart;
			pg_ctl stop; pg_ctl restart; redis-cli shutdown; mysqladmin shutdown; rabbitmqctl stop; s6-svc; sv`,
	ModifiesProductionServices: `kubectl apply; kubectl create; kubectl delete; kubectl edit; kubectl patch; kubectl replace; kubectl scale; kubectl rollout;
			kubectl set; kubectl label; kubectl annotate; kubectl drain; kubectl cordon; kubectl uncordon; kubectl taint;
			kubectl exec; kubectl run; kubectl expose; kubectl autoscale; helm install; helm upgrade; helm uninstall; helm delete;
			helm rollback; terraform apply; terraform destroy; terraform import; terraform taint; terraform state rm; tofu apply;
			tofu destroy; terragrunt apply; terragrunt destroy; pulumi up; pulumi destroy; cdk deploy; cdk destroy; sam deploy;
			serverless deploy; serverless remove; ansible-playbook; ansible; vercel deploy; vercel --prod; netlify deploy;
			fly deploy; flyctl deploy; heroku; wrangler deploy; wrangler publish; firebase deploy; eb deploy; eb terminate;
			gcloud app deploy; gcloud run deploy; gcloud functions deploy; npm publish; npm unpublish; npm deprecate; yarn publish;
			yarn npm publish; pnpm publish; bun publish; cargo publish; cargo yank; gem push; gem yank; twine upload;
			poetry publish; uv publish; docker push; podman push; helm push; gh release create; gh release delete; gh repo delete;
			gh workflow run; gh secret set; aws s3 rm; aws s3 sync; aws s3 rb; aws lambda update-function-code;
			aws ecs update-service; aws ec2 terminate-instances; aws ec2 stop-instances; aws ec2 run-instances;
			aws cloudformation deploy; aws cloudformation delete-stack; aws rds delete-db-instance; az webapp deploy;
			cap production deploy; dropdb; argocd app sync; argocd app delete; flux reconcile; nomad job run; nomad job stop`,
	RunsPrivilegedCommands: `sudo; sudoedit; su; doas; pkexec; runuser; setpriv; chroot; nsenter; run0; capsh; unshare; docker run --privileged;
			podman run --privileged; newgrp; sg; gosu; su-exec; machinectl shell`,
	ConsumesSignificantResources: `stress; stress-ng; sysbench; fio; hashcat; john; ab; wrk; hey; siege; bonnie++; iperf; iperf3; xmrig; cpuburn; memtester`,
	ModifiesWorkspaceFiles: `git checkout; git switch; git merge; git pull; git rebase; git apply; git am; git cherry-pick; git revert;
			git stash; git reset; git clone; git init; git rm; git mv; git clean; git worktree add; git submodule update; patch; zip;
			unzip; tar -x; tar -c; gofmt -w; goimports -w; go fmt; go generate; go mod init; go mod tidy; go get; cargo new;
			cargo init; cargo fmt; cargo add; cargo fix; npm init; npm install; npm ci; npm uninstall; npm version; yarn add; yarn install; pnpm add;
			pnpm install; bun add; prettier --write; eslint --fix; black; isort; ruff format; ruff check --fix; rustfmt; clang-format -i;
			terraform fmt; make; cmake; ninja; ffmpeg; convert; split; csplit; python -m venv; virtualenv; uv sync; uv add`,
	UsesDestructiveGitOperation: `git reset --hard; git reset --merge; git reset --keep; git clean -f; git push --force; git push --force-with-lease;
			git push --delete; git push --mirror; git push --prune; git branch -D; git branch --delete --force; git checkout --force;
			git checkout -f; git checkout .; git switch --discard-changes; git switch --force;
			git stash drop; git stash clear; git reflog expire; git reflog delete; git gc --prune; git prune; git filter-branch;
			git filter-repo; git update-ref -d; git tag -d; git tag --delete; git worktree remove --force; git worktree prune;
			git submodule deinit; git rm -f; git replace;
			git notes remove; git symbolic-ref --delete; git read-tree --reset; bfg`,
	KillsAgentProcess: `shutdown; reboot; halt; poweroff; telinit; systemctl reboot; systemctl poweroff; systemctl halt; systemctl kexec;
			systemctl suspend; systemctl hibernate; systemctl isolate; systemctl exit; killall5; loginctl terminate-user;
			loginctl terminate-session; loginctl kill-user; loginctl kill-session; init 0; init 6; init 1; kexec -e`,
	ExposesSecrets: `gpg --export-secret-keys; gpg --export-secret-subkeys; gh auth token; gh auth status --show-token;
			aws configure get; aws configure export-credentials; aws secretsmanager get-secret-value; aws ssm get-parameter;
			aws sts get-session-token; gcloud auth print-access-token; gcloud secrets versions access; az account get-access-token;
			kubectl get secret; kubectl get secrets; kubectl config view --raw; pass show; op read; op item get; vault read;
			vault kv get; bw get; secret-tool lookup; security find-generic-password; security find-internet-password;
			npm token; heroku config; docker secret inspect; keyctl print; git credential fill; ssh-keygen -y; lpass show; doppler secrets; chamber read`,
}

// effectIndex holds the table ready for use. It is built once and never
// written again.
var effectIndex = sync.OnceValue(func() *effectLookup {
	lookup := &effectLookup{of: make(map[string][]Effect)}
	var entries []entry
	table := effectEntries
	for _, effect := range Effects() {
		if table[effect] == "" {
			continue // found in other ways, or not at all
		}
		for text := range strings.SplitSeq(table[effect], ";") {
			e, err := parseEntry(strings.TrimSpace(text))
			if err != nil {
				panic(fmt.Sprintf("policy: the table of effects is wrong: %v", err))
			}
			if _, ok := lookup.of[e.text]; !ok {
				entries = append(entries, e)
			}
			lookup.of[e.text] = append(lookup.of[e.text], effect)
		}
	}
	lookup.index = newIndex(entries)
	return lookup
})

// effectLookup finds the categories of a command.
type effectLookup struct {
	index index
	of    map[string][]Effect // by an entry's text
}

// Rights, processes that stay, and the machine itself.

import { found, type Check, type Checks, type Found } from '../call.ts'
import { shown } from '../marks.ts'
import { given } from '../options.ts'

const privilege = (message: string): Found => found('shell-privilege', message)
const machine = (message: string): Found => found('shell-machine', message)
const background = (message: string): Found => found('shell-background', message)

const first = ({ operands }: { readonly operands: readonly string[] }): string => operands[0] ?? ''

const chmod: Check = ({ args }) => {
  const { operands, has } = given(args, '--reference')
  const mode = operands[0] ?? ''
  if (/^[ugoa,]*[+=][rwxX]*[st]/.test(mode) && /s/.test(mode))
    return privilege(`chmod ${mode} lets a program run with the rights of its owner`)
  if (/^0?[2-7]\d{3}$/.test(mode) && mode.replace(/^0/, '').length === 4)
    return privilege(`chmod ${mode} lets a program run with the rights of its owner`)
  const isOpen = /^0?777$|^(a|ugo|o)[+=]rwx$/.test(mode)
  return isOpen && has('-R', '--recursive') ? privilege(`chmod -R ${mode} lets everybody change the files`) : undefined
}

const install: Check = ({ args }) => {
  const mode = given(args, '-m --mode -o -g').values('-m', '--mode')[0] ?? ''
  return /^0?[246]\d{3}$|s/.test(mode) && mode !== '' && mode.length >= 4
    ? privilege(`install -m ${mode} lets a program run with the rights of its owner`)
    : undefined
}

const kill: Check = ({ args }) => {
  const targets = args.filter((arg, at) => !(at === 0 && /^-([A-Z]+|\d+|s|n)$/.test(arg)) && arg !== '--')
  return targets.includes('-1') || (args.length === 1 && args[0] === '-1')
    ? machine('kill -1 ends every process')
    : undefined
}

const changing =
  /^(install|reinstall|remove|purge|autoremove|upgrade|dist-upgrade|full-upgrade|update|add|del|erase|in|rm|uninstall|localinstall|groupinstall|-[SRUi]\w*|-[SR])$/
const packages: Check = ({ name, args }) => {
  const action = args.find((arg) => changing.test(arg))
  if (action === undefined || args.some((arg) => ['-s', '--simulate', '--dry-run', '--print-uris'].includes(arg)))
    return undefined
  return machine(`${name} ${action} changes the packages of the system`)
}

/** All of the disk, what belongs to the system, or the socket that gives it. */
const isHostPath = (path: string): boolean =>
  /^\/(etc|root|home|usr|var|boot|proc|sys|dev|bin|lib\w*)?\/*$|docker\.sock|containerd\.sock|podman\.sock/.test(path)

const docker: Check = ({ name, args }) => {
  const line = [...(name === 'docker-compose' ? ['compose'] : []), ...args].join(' ')
  if (/(^| )(run|create|exec)( |$)/.test(line)) {
    const { values } = given(
      args,
      '-v --volume --mount --cap-add --device --security-opt --pid --net --network --userns --ipc --uts -e -p -w -u --name',
    )
    const isFree =
      args.some((arg) => /^--privileged(=true)?$/.test(arg)) ||
      values('--pid', '--net', '--network', '--userns', '--ipc', '--uts').includes('host') ||
      values('--cap-add').some((each) => /^(CAP_)?(ALL|SYS_ADMIN|SYS_PTRACE|SYS_MODULE|DAC_\w+)$/i.test(each)) ||
      values('--security-opt').some((each) => /unconfined/.test(each)) ||
      values('--device').some((each) => /^\/dev\/(sd|nvme|disk|mem|kmsg)/.test(each))
    if (isFree) return privilege(`${name} gives the container the machine`)
    const mounted = [
      ...values('-v', '--volume').map((each) => each.split(':', 1)[0] ?? ''),
      ...values('--mount').flatMap((each) =>
        each.split(',').flatMap((pair) => /^(?:source|src)=(.*)$/.exec(pair)?.[1] ?? []),
      ),
    ]
    if (mounted.some(isHostPath)) return privilege(`${name} gives the container the disk of the machine`)
  }
  if (/^(system|volume|image|container|network|builder) prune|^volume rm/.test(line))
    return machine(`${name} ${shown(line)} removes what others may need`)
  return /^(compose )?(.* )?down .*(-v|--volumes)\b/.test(line) && line.startsWith('compose')
    ? machine(`${name} compose down -v removes the data`)
    : undefined
}

const systemctl: Check = ({ name, args }) => {
  const action = first(given(args, '-H -t --type -p'))
  if (['enable', 'start', 'restart', 'reenable', 'link', 'reload-or-restart'].includes(action))
    return background(`${name} ${action} leaves a service running`)
  if (
    ['reboot', 'poweroff', 'halt', 'suspend', 'hibernate', 'kexec', 'isolate', 'rescue', 'emergency'].includes(action)
  )
    return machine(`${name} ${action} stops the machine`)
  return ['stop', 'disable', 'mask', 'kill', 'set-default', 'daemon-reload', 'edit', 'revert'].includes(action)
    ? machine(`${name} ${action} changes the services of the machine`)
    : undefined
}

const service: Check = ({ args }) =>
  /^(start|restart)$/.test(args[1] ?? '')
    ? background(`service ${shown(args.join(' '))} leaves a service running`)
    : args[1] === 'stop'
      ? machine('service stop changes the services of the machine')
      : undefined

const globally: Check = ({ name, args }) =>
  /^(install|i|add|update|uninstall|remove|rm|link|global)$/.test(first(given(args, '--prefix -C'))) &&
  (given(args, '--prefix -C').has('-g', '--global') || (name === 'yarn' && args[0] === 'global'))
    ? machine(`${name} ${shown(args.join(' '))} installs for the whole machine`)
    : undefined

const says =
  (message: (name: string) => string, make = machine): Check =>
  ({ name }) =>
    make(message(name))
const withArgs =
  (message: (name: string) => string, make = machine): Check =>
  ({ name, args }) =>
    args.some((arg) => !/^(--?(l|list|help|version|h|V|show|status)|-l|status)$/.test(arg))
      ? make(message(name))
      : undefined

export const machines: Checks = {
  'sudo sudoedit doas pkexec su runuser gosu su-exec run0 setpriv sg newgrp capsh dzdo pfexec please setuidgid chpst ksu':
    says((name) => `${name} runs as another user`, privilege),
  machinectl: ({ args }) =>
    ['shell', 'login'].includes(first(given(args, '-M -E --uid --setenv')))
      ? privilege('machinectl shell runs as another user')
      : undefined,
  nsenter: says(() => 'nsenter takes the place of another process', privilege),
  'setcap setfacl': says((name) => `${name} gives rights to a file`, privilege),
  chroot: says(() => 'chroot runs as the administrator', privilege),
  chmod,
  install,
  chown: ({ args }) =>
    /^(root|0)?(:(root|wheel|0))?$/.test(first(given(args))) && first(given(args)) !== ''
      ? privilege(`chown ${shown(first(given(args)))} gives files to the administrator`)
      : undefined,
  'useradd userdel usermod adduser deluser groupadd groupdel groupmod passwd chpasswd visudo chsh vipw': withArgs(
    (name) => `${name} changes who may use the machine`,
    privilege,
  ),
  nohup: ({ isBackground }) => (isBackground ? background('nohup … & leaves a process running') : undefined),
  'setsid disown daemonize daemon start-stop-daemon': says((name) => `${name} leaves a process running`, background),
  'tmux screen': ({ name, args }) =>
    args.some((arg) => /^-[a-zA-Z]*d/.test(arg)) ? background(`${name} leaves a session running`) : undefined,
  crontab: ({ args }) => (args.includes('-l') ? undefined : background('crontab changes what runs later')),
  'at batch': ({ name, args }) =>
    args.includes('-l') || (name === 'at' && args.length === 0)
      ? undefined
      : background(`${name} runs something later`),
  'systemd-run': says(() => 'systemd-run leaves a unit running', background),
  systemctl,
  service,
  launchctl: withArgs((name) => `${name} changes the services of the machine`),
  'shutdown reboot halt poweroff telinit': says((name) => `${name} stops the machine`),
  init: ({ args }) => (/^[016sS]$/.test(args[0] ?? '') ? machine('init stops the machine') : undefined),
  kill,
  'killall pkill skill xkill': withArgs((name) => `${name} ends processes by their name, those of others too`),
  'iptables ip6tables': ({ name, args }) =>
    args.some((arg) => /^(-[LSC]|--list.*)$/.test(arg)) ? undefined : machine(`${name} changes the firewall`),
  nft: ({ args }) =>
    /^(flush|delete|add|insert)$/.test(args[0] ?? '') ? machine('nft changes the firewall') : undefined,
  'ufw firewall-cmd': ({ name, args }) =>
    /^(disable|reset)$/.test(args[0] ?? '')
      ? found('shell-checks-off', `${name} ${args[0]} takes the firewall down`)
      : /^(allow|deny|delete|enable|--add.*|--remove.*)$/.test(args[0] ?? '')
        ? machine(`${name} changes the firewall`)
        : undefined,
  setenforce: ({ args }) =>
    /^(0|permissive)$/i.test(args[0] ?? '')
      ? found('shell-checks-off', 'setenforce 0 switches SELinux off')
      : undefined,
  'mount umount swapoff swapon losetup modprobe insmod rmmod sysctl hostnamectl timedatectl ldconfig update-alternatives':
    withArgs((name) => `${name} changes the machine`),
  'apt apt-get aptitude dpkg yum dnf microdnf zypper pacman apk brew snap port flatpak emerge rpm nix-env choco winget':
    packages,
  'docker podman nerdctl docker-compose': docker,
  'npm pnpm yarn bun': globally,
}

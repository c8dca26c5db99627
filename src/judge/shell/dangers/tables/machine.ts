// Privileges, lasting processes, and changes to the machine.

import type { Rows } from '../rows.ts'

const asUser = 'runs as another user'
const asOwner = 'lets a program run with the rights of its owner'
const host = 'gives the container access to the machine'
const containers = 'docker, podman, nerdctl'
const running = String.raw`^(\S+ )*?(run|create|exec) (.* )?`
/** The whole disk, a system directory, or the socket that gives access to it. */
const hostPath = String.raw`(\/(etc|root|home|usr|var|boot|proc|sys|dev|bin|lib\w*)?\/*|\S*(docker|podman)\.sock)`
const free = String.raw`(--privileged|--(pid|net|network|userns|ipc)[ =]host)(=true)?( |$)|--security-opt[ =]\S*unconf`
const capable = String.raw`--cap-add[ =](CAP_)?(ALL|SYS_\w+|DAC_\w+)( |$)|--device[ =]/dev/(sd|nvme|disk|mem)`
/** Any arguments except a query. */
const asked = /^(?=.)(?!(--?(l|list|help|version|h|V|show|status)|status)$)/

const leaves = 'leaves a process running'
const stops = 'stops the machine'
const services = 'changes the services of the machine'
const firewall = 'changes the firewall'
const globally = 'installs for the whole machine'
const deletesData = 'deletes data that others may need'
const managers = 'apt, apt-get, aptitude, dpkg, yum, dnf, zypper, pacman, apk, brew, snap, flatpak, rpm'
const changesPackages =
  'install reinstall remove purge autoremove upgrade dist-upgrade update add del erase uninstall !-s !--simulate'

export const machineRows: Rows = {
  'shell-privilege': [
    ['sudo, sudoedit, doas, pkexec, su, runuser, gosu, su-exec, run0, setpriv, sg, newgrp, capsh, dzdo', '', asUser],
    ['machinectl', 'shell login', asUser],
    ['nsenter, chroot', '', 'needs the rights of root'],
    ['setcap, setfacl', '', 'gives rights to a file'],
    ['chmod', /^(-\S+ )*([ugoa,]*[+=][rwxXt]*s|0?[2-7]\d{3}( |$))/, asOwner],
    ['chmod', /^(?=(.* )?-(\w*R|-recursive)).*(^| )(0?777|(a|ugo|o)[+=]rwx)( |$)/, 'lets everybody change the files'],
    ['install', /(^| )(-m|--mode)[ =]?(0?[246]\d{3}|\S*s)( |$)/, asOwner],
    ['chown', /^(-\S+ )*(root|0|:(root|wheel|0))\b/, 'gives files to root'],
    [
      'useradd, userdel, usermod, adduser, deluser, groupadd, passwd, visudo, chsh',
      /./,
      'changes who may use the machine',
    ],
    [containers, new RegExp(`${running}(${free}|${capable})`), host],
    [containers, new RegExp(`${running}((-v ?|--volume[ =])${hostPath}:|--mount[ =]\\S*=${hostPath}(,| |$))`), host],
  ],
  'shell-background': [
    ['setsid, disown, daemonize, start-stop-daemon, systemd-run', '', leaves],
    ['tmux, screen', '-d', leaves],
    ['crontab, at', /^(?!.*-l( |$))./, 'runs something later'],
    ['systemctl', 'enable start restart reenable reload-or-restart', leaves],
    ['service', /^\S+ (start|restart)\b/, leaves],
  ],
  'shell-machine': [
    ['shutdown, reboot, halt, poweroff, telinit', '', stops],
    ['init', /^[016sS]$/, stops],
    ['systemctl', 'reboot poweroff halt suspend hibernate kexec isolate rescue emergency', stops],
    ['systemctl', 'stop disable mask kill set-default daemon-reload edit revert', services],
    ['service', /^\S+ stop\b/, services],
    ['launchctl', asked, services],
    ['kill', /(^| )-1$/, 'ends every process'],
    ['killall, pkill, skill', asked, 'ends processes by name, also those of others'],
    ['iptables, ip6tables', /^(?!.*(^| )(-[LSC]|--list))./, firewall],
    ['nft', 'flush delete add insert', firewall],
    ['ufw', 'allow deny delete enable', firewall],
    ['mount, umount, swapoff, swapon, losetup, modprobe, insmod, rmmod, sysctl', asked, 'changes the machine'],
    ['hostnamectl, timedatectl, ldconfig, update-alternatives', asked, 'changes the machine'],
    [managers, changesPackages, 'changes the packages of the system'],
    ['pacman, dpkg, rpm', /^-[SRUi]/, 'changes the packages of the system'],
    [containers, /^((system|volume|image|container|network|builder) prune|volume rm)\b/, deletesData],
    ['docker', /^compose (.* )?down (.* )?(-v|--volumes)\b/, deletesData],
    ['docker-compose', 'down -v --volumes', deletesData],
    ['npm, pnpm, yarn, bun', 'install i add update uninstall remove rm link -g --global', globally],
    ['yarn', 'global', globally],
  ],
  'shell-write-outside': [
    ['tar, bsdtar', /^-?\w*(x\w*P|P\w*x)|^(-\w*x|--extract).* --absolute/, 'writes wherever the archive says'],
  ],
  'shell-device': [
    [
      'mkfs, mkswap, wipefs, fdisk, sfdisk, gdisk, parted, blkdiscard, hdparm',
      /^(?!.*(^| )(-l|--list|-n|--no-act|print)( |$))(.* )?\/dev\//,
      'overwrites a disk',
    ],
  ],
}

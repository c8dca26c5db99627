// The key of the page, which came with the link. A cookie goes to every port of the host, this only to the server of the
// page: the browser keeps what a page stores apart by port.

const name = 'git-plan-key'

const [, given] = /^#key=([\w-]+)$/.exec(location.hash) ?? []
if (given !== undefined) {
  localStorage.setItem(name, given)
  history.replaceState(null, '', location.pathname)
}

const key = localStorage.getItem(name) ?? ''

export const keyHeader: Readonly<Record<string, string>> = { 'x-git-plan-key': key }

/** For a stream of events, which has no headers of its own. */
export const keyQuery = `key=${key}`

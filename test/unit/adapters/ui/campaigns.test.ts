import { expect, test } from 'vitest'
import { pullRequestsOf } from '../../../../src/adapters/ui/campaigns.ts'

test('the pull requests of a plan are listed where its forge lists them', () => {
  expect(pullRequestsOf('https://github.com/acme/cart.git', 'node-24')).toBe(
    'https://github.com/acme/cart/pulls?q=is%3Apr+head%3Aplan%2Fnode-24',
  )
  expect(pullRequestsOf('git@gitlab.com:acme/shop/cart.git', 'node-24')).toBe(
    'https://gitlab.com/acme/shop/cart/-/merge_requests?scope=all&state=all&source_branch=plan%2Fnode-24',
  )
  expect(pullRequestsOf('https://codeberg.org/acme/cart', 'node-24')).toBe(
    'https://codeberg.org/acme/cart/pulls?type=all&state=all',
  )
})

test('an address that is not that of a known forge has no link', () => {
  for (const address of [
    '/srv/git/cart.git',
    'https://git.example.com/acme/cart',
    'https://github.com/',
    'javascript:1',
  ])
    expect(pullRequestsOf(address, 'node-24'), address).toBeNull()
})

// The engine in memory keeps the contract of the port.

import { openDispatch } from '../../src/fleet/dispatch/open-dispatch.ts'
import { contract } from './contract.ts'

contract('embedded', () => openDispatch(undefined, { backoffMs: 5, now: () => Date.now() }))

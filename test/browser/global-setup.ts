// Says at once what is missing.

import { chromiumPath } from './chromium.ts'

export const setup = (): void => void chromiumPath()

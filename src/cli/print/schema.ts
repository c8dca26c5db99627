// The JSON Schema as it is: it is meant for a file.

import type { CommandResult } from '../../commands/context.ts'

export const printSchema = ({ data }: CommandResult<{ readonly schema: object }>): string => `${JSON.stringify(data.schema, null, 2)}\n`

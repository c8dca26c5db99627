// The JSON Schema, verbatim.

import type { CommandResult } from '../../../operation/context.ts'

export const printSchema = ({ data }: CommandResult<{ readonly schema: object }>): string =>
  `${JSON.stringify(data.schema, null, 2)}\n`

import { requireOperator } from '../access/require.ts'
import type { GraphqlContext } from './builder.ts'

/** @throws UNAUTHORIZED, FORBIDDEN */
export function forOperator<Thing>(thing: Thing, _args: object, ctx: GraphqlContext): Thing {
  requireOperator(ctx)
  return thing
}

export const OPERATORS_PART = 'The configuration. Needs the scope operator, or a signed-in operator.'

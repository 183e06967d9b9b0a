import { requireOperator } from '../access/require.ts'
import type { GraphqlContext } from './builder.ts'

/** Resolves a part of a thing that only the operator sees: the thing itself. @throws UNAUTHORIZED, FORBIDDEN */
export function forOperator<Thing>(thing: Thing, _args: object, ctx: GraphqlContext): Thing {
  requireOperator(ctx)
  return thing
}

export const OPERATORS_PART = 'The configuration. Needs the scope operator, or a signed-in operator.'

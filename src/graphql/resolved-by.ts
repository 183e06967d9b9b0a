import type { Context } from '../context.ts'
import type { GraphqlContext } from './builder.ts'

/**
 * A root field's resolver: the verb of the same name, and nothing else. The verb is also kept with the field, so that a test can
 * hold that REST's operation of that name calls the very same function.
 */
export const resolvedBy = <Args, Input, Result>(
  verb: (ctx: Context, input: Input) => Result,
  toInput: (args: Args) => Input,
) => ({
  resolve: (_root: object, args: Args, ctx: GraphqlContext): Result => verb(ctx, toInput(args)),
  extensions: { verb },
})

/** The same for a subscription: the verb gives the stream of what the field then resolves. */
export const subscribedBy = <Args, Input, Result>(
  verb: (ctx: Context, input: Input) => Result,
  toInput: (args: Args) => Input,
) => ({
  subscribe: (_root: object, args: Args, ctx: GraphqlContext): Result => verb(ctx, toInput(args)),
  extensions: { verb },
})

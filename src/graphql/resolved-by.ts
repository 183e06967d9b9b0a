import type { GraphQLResolveInfo } from 'graphql'
import type { PullStream } from '../concurrency/pull-stream.ts'
import type { GraphqlContext } from './builder.ts'
import { relationsOf } from './relations-of.ts'

/**
 * A root field's resolver: the verb of the same name, and nothing else. The verb is also kept with the field, so that a test can
 * hold that REST's operation of that name calls the very same function.
 */
export const resolvedBy = <Args, Input, Result>(
  verb: (ctx: GraphqlContext, input: Input) => Result,
  toInput: (args: Args) => Input,
) => ({
  resolve: (_root: object, args: Args, ctx: GraphqlContext): Result => verb(ctx, toInput(args)),
  extensions: { verb },
})

/** The same for rows of a table with relations: the verb reads those that the query asks for along with the rows. */
export const relatedBy = <Args, Input extends object, Result>(
  typeName: string,
  verb: (ctx: GraphqlContext, input: Input & { readonly relations?: object }) => Result,
  toInput: (args: Args) => Input,
) => ({
  resolve: (_root: object, args: Args, ctx: GraphqlContext, info: GraphQLResolveInfo): Result =>
    verb(ctx, { ...toInput(args), relations: relationsOf(ctx, info, typeName) }),
  extensions: { verb },
})

/** The same for a field that shows more of the verb's result than the verb returns: `present` reads the rest. */
export const presentedBy = <Args, Input, Result, Shown>(
  verb: (ctx: GraphqlContext, input: Input) => Promise<Result>,
  toInput: (args: Args) => Input,
  present: (ctx: GraphqlContext, result: Result) => Promise<Shown>,
) => ({
  resolve: async (_root: object, args: Args, ctx: GraphqlContext): Promise<Shown> =>
    present(ctx, await verb(ctx, toInput(args))),
  extensions: { verb },
})

/**
 * The same for a subscription: the verb gives the stream of what the field then resolves. A stream that opens after its caller has
 * disconnected is ended.
 */
export const subscribedBy = <Args, Input, Event extends object>(
  verb: (ctx: GraphqlContext, input: Input) => Promise<PullStream<Event>>,
  toInput: (args: Args, info: GraphQLResolveInfo) => Input,
) => ({
  subscribe: async (
    _root: object,
    args: Args,
    ctx: GraphqlContext,
    info: GraphQLResolveInfo,
  ): Promise<PullStream<Event>> => {
    const stream = await verb(ctx, toInput(args, info))
    if (info.getAbortSignal()?.aborted) await stream.return()
    return stream
  },
  extensions: { verb },
})

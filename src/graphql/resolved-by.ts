import type { GraphQLResolveInfo } from 'graphql'
import type { PullStream } from '../concurrency/pull-stream.ts'
import type { RowQuery } from '../db/row-query.ts'
import type { GraphqlContext } from './builder.ts'
import { queryOf } from './query-of.ts'

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

/** A row, or rows, as a Prisma object shows them. */
type RowsOf<Type> = Type extends [{ $inferType: infer Row }]
  ? Row[]
  : Type extends { $inferType: infer Row }
    ? Row
    : never

/**
 * A `prismaField` of a verb, which also gets the columns and relations that the operation selects. Pothos types the result of such a
 * field as whole rows, whatever its type selects, so the verb's own result is checked here.
 */
export const queriedBy = <Type, Args, Input extends object, Result extends RowsOf<Type> | null>(
  type: Type,
  verb: (ctx: GraphqlContext, input: Input & { readonly query?: RowQuery }) => Promise<Result>,
  toInput: (args: Args, ctx: GraphqlContext) => Input,
) => ({
  type,
  resolve: (query: RowQuery, _root: object, args: NoInfer<Args>, ctx: GraphqlContext) =>
    verb(ctx, { ...toInput(args, ctx), query }) as Promise<Extract<Result, null>>,
  extensions: { verb },
})

/** A `prismaField` of rows that are at hand: Pothos takes them for what their type selects, and reads none again. */
export const rowsOf = <Type, Parent, Args, Result extends RowsOf<Type> | null>(
  type: Type,
  take: (parent: Parent, ctx: GraphqlContext, args: Args) => Promise<Result> | Result,
) => ({
  type,
  resolve: async (_query: RowQuery, parent: Parent, args: NoInfer<Args>, ctx: GraphqlContext) =>
    (await take(parent, ctx, args)) as Extract<Result, null>,
})

/**
 * The same for a connection. `prismaConnection` makes cursors of its own form; the cursors of this API are ids, so the verb makes the page.
 * @param typeName a Prisma object
 */
export const pagedBy = <Args, Input extends object, Result>(
  typeName: string,
  verb: (ctx: GraphqlContext, input: Input & { readonly query?: RowQuery }) => Result,
  toInput: (args: Args) => Input,
) => ({
  resolve: (_root: object, args: Args, ctx: GraphqlContext, info: GraphQLResolveInfo): Result =>
    verb(ctx, { ...toInput(args), query: queryOf(ctx, info, typeName) }),
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

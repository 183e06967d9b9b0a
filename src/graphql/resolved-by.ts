import type { GraphQLResolveInfo } from 'graphql'
import type { PullStream } from '../concurrency/pull-stream.ts'
import type { RowQuery } from '../db/row-query.ts'
import type { GraphqlContext } from './builder.ts'
import { queryOf } from './query-of.ts'

/** Resolves a root field by the verb of its name. The field keeps the verb, so a test can compare it with REST's. */
export const resolvedBy = <Args, Input, Result>(
  verb: (ctx: GraphqlContext, input: Input) => Result,
  toInput: (args: Args) => Input,
) => ({
  resolve: (_root: object, args: Args, ctx: GraphqlContext): Result => verb(ctx, toInput(args)),
  extensions: { verb },
})

type RowsOf<Type> = Type extends [{ $inferType: infer Row }]
  ? Row[]
  : Type extends { $inferType: infer Row }
    ? Row
    : never

/** Resolves a `prismaField` by a verb that gets Pothos's query. Pothos types the result as whole rows, so this helper checks it. */
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

/** Resolves a `prismaField` of rows that were read before, so Pothos does not read them again. */
export const rowsOf = <Type, Parent, Args, Result extends RowsOf<Type> | null>(
  type: Type,
  take: (parent: Parent, ctx: GraphqlContext, args: Args) => Promise<Result> | Result,
) => ({
  type,
  resolve: async (_query: RowQuery, parent: Parent, args: NoInfer<Args>, ctx: GraphqlContext) =>
    (await take(parent, ctx, args)) as Extract<Result, null>,
})

/** Resolves a connection by a verb that gets Pothos's query. `prismaConnection` would make cursors of another form than ids. */
export const pagedBy = <Args, Input extends object, Result>(
  typeName: string,
  verb: (ctx: GraphqlContext, input: Input & { readonly query?: RowQuery }) => Result,
  toInput: (args: Args) => Input,
) => ({
  resolve: (_root: object, args: Args, ctx: GraphqlContext, info: GraphQLResolveInfo): Result =>
    verb(ctx, { ...toInput(args), query: queryOf(ctx, info, typeName) }),
  extensions: { verb },
})

/** Resolves a `prismaField` by a verb and `present`, which reads the row that the verb has changed. */
export const presentedBy = <Type, Args, Input, Result, Row extends RowsOf<Type> | null>(
  type: Type,
  verb: (ctx: GraphqlContext, input: Input) => Promise<Result>,
  toInput: (args: Args) => Input,
  present: (ctx: GraphqlContext, result: Result, query: RowQuery) => Promise<Row>,
) => ({
  type,
  resolve: async (query: RowQuery, _root: object, args: NoInfer<Args>, ctx: GraphqlContext) =>
    (await present(ctx, await verb(ctx, toInput(args)), query)) as Extract<Row, null>,
  extensions: { verb },
})

/** Ends a stream that opens after its caller has disconnected. */
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

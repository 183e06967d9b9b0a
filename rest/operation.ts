import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import type { ServiceContext } from '../src/runtime/services.ts'
import type { Query } from './parameters.ts'

/** A request that is authorized and fits the document. */
export interface Call {
  readonly ctx: ServiceContext
  readonly params: Readonly<Record<string, string>>
  readonly query: Query
  readonly headers: IncomingHttpHeaders
  readonly body: unknown
  /** Aborted when the client disconnects before it has its whole answer. */
  disconnect(): AbortSignal
}

/** What is known of a request before its body is read. */
export type CallHead = Pick<Call, 'params' | 'headers'>

/** Bytes and streams go out as they are, objects as JSON, null is no body at all. */
export interface Answer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body: Buffer | Readable | object | null
}

/** `form`: multipart/form-data with one file; `list`: JSON that is as long as a list of many entries. */
type BodyKind = 'form' | 'list' | 'text'

/** One operation of the REST API: a verb, and how a request becomes its input and its result an answer. */
export interface Operation<Input = unknown, Result = unknown> {
  /** The scope that a key needs; null where none is asked for, or where more than one will do: then the verb decides. */
  readonly scope: string | null
  /** Finds what the address names before the body is read; the verb repeats it for the other doors. @throws FORBIDDEN, NOT_FOUND */
  target?(ctx: ServiceContext, head: CallHead): unknown
  /** What its body may be; absent: JSON of up to 1 MiB. */
  readonly body?: BodyKind
  /** @throws INVALID_REQUEST for what the document cannot say */
  input(call: Call): Input
  /** The very function that GraphQL and the command line call. */
  verb(ctx: ServiceContext, input: Input): Result
  answer(result: Awaited<Result>, call: Call): Answer | Promise<Answer>
}

/** Holds that input, verb and answer of an entry fit each other. */
export const operation = <Input, Result>(entry: Operation<Input, Result>): Operation<Input, Result> => entry

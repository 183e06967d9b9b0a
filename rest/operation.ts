import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import type { ServiceContext } from '../src/runtime/services.ts'
import type { Query } from './parameters.ts'

export interface Call {
  readonly ctx: ServiceContext
  readonly params: Readonly<Record<string, string>>
  readonly query: Query
  readonly headers: IncomingHttpHeaders
  readonly body: unknown
  /** Aborted when the client disconnects before it has its whole answer. */
  disconnect(): AbortSignal
}

export type CallHead = Pick<Call, 'params' | 'headers'>

/** Objects are sent as JSON; null sends no body. */
export interface Answer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body: Buffer | Readable | object | null
}

type BodyKind = 'form' | 'list' | 'text'

/** A REST operation: a verb, its input from the request, its answer from the result. */
export interface Operation<Input = unknown, Result = unknown> {
  /** Required scope; null if none is required or the verb decides. */
  readonly scope: string | null
  /** Finds the path's target before the body is read; the verb repeats it. @throws FORBIDDEN, NOT_FOUND */
  target?(ctx: ServiceContext, head: CallHead): unknown
  readonly body?: BodyKind
  /** Refuses parameters that the document does not name. */
  readonly isStrict?: boolean
  /** @throws INVALID_REQUEST for violations that the document cannot express */
  input(call: Call): Input
  verb(ctx: ServiceContext, input: Input): Result
  answer(result: Awaited<Result>, call: Call): Answer | Promise<Answer>
}

export const operation = <Input, Result>(entry: Operation<Input, Result>): Operation<Input, Result> => entry

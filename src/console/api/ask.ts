import type { Operation } from '../operations.ts'
import { ApiError, type Violation } from './api-error.ts'
import { GRAPHQL } from './base.ts'
import { noteTime } from './clock.ts'

/** Longer than the service takes for a query: an answer that has not come by then was lost on its way. A mutation takes as long as it takes. */
const PATIENCE_MS = 45_000
/** Asks for the time that the service goes by, and says it. */
const TIME = 'x-sonant-time'
/** What an answer without a code says by its status. Any other one will be the same in a moment: it is shown, and not asked for again. */
const CODES: Readonly<Record<number, string>> = {
  429: 'RATE_LIMITED',
  502: 'UNAVAILABLE',
  503: 'UNAVAILABLE',
  504: 'UNAVAILABLE',
}

type Kept<Field> = Field extends { __typename: 'RequestError' } ? never : Field
/** An answer without the reasons why a mutation changed nothing: those are thrown. */
export type Answered<Data> = { [Name in keyof Data]: Kept<Data[Name]> }

interface Answer {
  readonly data?: Readonly<Record<string, unknown>> | null
  readonly errors?: readonly { message: string; extensions?: Extensions }[]
  readonly error?: string
  readonly error_code?: string
  readonly details?: readonly Violation[]
}
interface Extensions {
  readonly code?: string
  readonly requestId?: string
  readonly details?: readonly Violation[]
  readonly retryAfterSeconds?: number
}
interface RequestError {
  readonly __typename?: string
  readonly code: string
  readonly message: string
  readonly requestId?: string
  readonly details?: readonly Violation[]
}

let onSignedOut: () => void = () => {}
let onForbidden: () => void = () => {}

/** Calls back whenever an answer says that the session of its question has ended, or that its user may not do it. */
export function whenRejected(signedOut: () => void, forbidden: () => void): void {
  onSignedOut = signedOut
  onForbidden = forbidden
}

/** What an error by any door says of the session. */
export function noteError(code: string | undefined): void {
  if (code === 'UNAUTHORIZED') onSignedOut()
  if (code === 'FORBIDDEN') onForbidden()
}

/** Asks over HTTP. @param readHeaders called with those of the answer @throws ApiError: errors of the answer, a mutation's RequestError, or OFFLINE */
export async function ask<Data, Variables>(
  operation: Operation<Data, Variables>,
  variables: Variables,
  readHeaders: (headers: Headers) => void = () => {},
): Promise<Answered<Data>> {
  const askedAt = Date.now()
  const response = await send(operation.query, variables)
  readHeaders(response.headers)
  noteTime(response.headers.get(TIME), askedAt)
  const answer = await readAnswer(response)
  const [error] = answer.errors ?? []
  if (error !== undefined) throw errorOf(error)
  for (const field of Object.values(answer.data ?? {})) throwRequestError(field)
  return answer.data as Answered<Data>
}

async function send(query: string, variables: unknown): Promise<Response> {
  try {
    const headers = { 'content-type': 'application/json', accept: 'application/json', [TIME]: '1' }
    const body = JSON.stringify({ query, variables })
    const signal = query.startsWith('mutation') ? null : AbortSignal.timeout(PATIENCE_MS)
    return await fetch(GRAPHQL, { method: 'POST', headers, body, credentials: 'same-origin', signal })
  } catch {
    throw offline()
  }
}

const offline = () => new ApiError('The service cannot be reached: check the connection.', { code: 'OFFLINE' })

async function readAnswer(response: Response): Promise<Answer> {
  const answer = await jsonOf<Answer>(response)
  if (answer !== null && (answer.data !== undefined || answer.errors !== undefined)) return answer
  throw errorOfAnswer(response, answer)
}

/** Null: the body is no JSON, as a page of a proxy. @throws ApiError OFFLINE: the connection was lost before the body had come */
export async function jsonOf<Body>(response: Response): Promise<Body | null> {
  try {
    return await response.json()
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw offline()
  }
}

/** Of an answer by another door than GraphQL's: what stands in front of the service has no codes. */
export function errorOfAnswer({ status, headers }: Response, answer: Omit<Answer, 'data' | 'errors'> | null): ApiError {
  const code = answer?.error_code ?? CODES[status] ?? 'UNEXPECTED_ANSWER'
  const sentence = typeof answer?.error === 'string' ? answer.error : sentenceOf(code, status)
  return new ApiError(sentence, {
    code,
    requestId: headers.get('x-request-id') ?? undefined,
    details: answer?.details ?? [],
    retryAfterSeconds: retryAfterOf(headers),
  })
}

const sentenceOf = (code: string, status: number): string =>
  code === 'UNEXPECTED_ANSWER'
    ? `The answer has status ${status} and is not of the service: a proxy in front of it may have made it.`
    : `The service answered with status ${status}: try again in a moment.`

/** Retry-After is in seconds, or a time by the clock of what answered. */
function retryAfterOf(headers: Headers): number | undefined {
  const text = headers.get('retry-after') ?? ''
  if (/^\d+$/.test(text)) return Number(text)
  const now = Date.parse(headers.get('date') ?? '')
  const seconds = Math.ceil((Date.parse(text) - (Number.isNaN(now) ? Date.now() : now)) / 1000)
  return Number.isNaN(seconds) ? undefined : seconds
}

function errorOf({ message, extensions }: NonNullable<Answer['errors']>[number]): ApiError {
  const { code = 'INTERNAL_ERROR', ...about } = extensions ?? {}
  noteError(code)
  return new ApiError(message, { code, ...about })
}

function throwRequestError(field: unknown): void {
  const error = field as RequestError | null
  if (error?.__typename !== 'RequestError') return
  throw new ApiError(error.message, { code: error.code, requestId: error.requestId, details: error.details ?? [] })
}

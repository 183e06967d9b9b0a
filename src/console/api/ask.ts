import type { Operation } from '../operations.ts'
import { ApiError, asApiError, type Violation } from './api-error.ts'
import { GRAPHQL } from './base.ts'
import { noteTime } from './clock.ts'
import { remarkOf, sentenceOf } from './words.ts'

/** Longer than the service takes for a query: an answer that has not come by then was lost on its way. A mutation takes as long as it takes. */
const LONGEST_WAIT_MS = 45_000
/** Asks for the time that the service goes by, and says it. */
const TIME = 'x-sonant-time'
/** Codes for statuses of answers without a code. The page shows any other status and does not ask again. */
const codeOf = (status: number): string =>
  status === 429
    ? 'RATE_LIMITED'
    : [408, 425, 502, 503, 504, 530].includes(status) || (status >= 520 && status <= 527)
      ? 'UNAVAILABLE'
      : 'UNEXPECTED_ANSWER'

/** Advice for statuses that only a proxy sends without a code. */
const OF_PROXIES: Readonly<Record<number, string>> = {
  401: 'A proxy in front of the service asks for a sign-in of its own: reload the page.',
  413: 'This is larger than a proxy in front of the service lets through.',
}

type Kept<Field> = Field extends { __typename: 'RequestError' } ? never : Field
/** An answer without the reasons why a mutation changed nothing: those are thrown. */
export type Answered<Data> = { [Name in keyof Data]: Kept<Data[Name]> }

/** JSON as it came: what stands in front of the service may have made it, with the same names for other things. */
type Json = Readonly<Record<string, unknown>>
interface RequestError {
  readonly __typename?: string
  readonly code: string
  readonly message: string
  readonly requestId?: string
  readonly details?: readonly Violation[]
}

type Question<Data, Variables> = [
  operation: Operation<Data, Variables>,
  variables: Variables,
  readHeaders?: (headers: Headers) => void,
]

let onSignedOut: () => void = () => {}
let onForbidden: () => void = () => {}
let confirm: (() => Promise<void>) | null = null

/** Calls back whenever an answer says that the session of its question has ended, or that its user may not do it. */
export function whenRejected(signedOut: () => void, forbidden: () => void): void {
  onSignedOut = signedOut
  onForbidden = forbidden
}

/** Has what is missing asked for, whenever the service wants to know that it is the user who acts; what was asked is asked again after it. */
export function whenUnconfirmed(ask: () => Promise<void>): void {
  confirm = ask
}

/** Notes if an error says that the session has ended. */
export function noteError(code: string | undefined): void {
  if (code === 'UNAUTHORIZED') onSignedOut()
  if (code === 'FORBIDDEN') onForbidden()
}

/** Asks over HTTP. @param readHeaders called with those of the answer @throws ApiError: errors of the answer, a mutation's RequestError, or OFFLINE */
export async function ask<Data, Variables>(...question: Question<Data, Variables>): Promise<Answered<Data>> {
  try {
    return await askOnce(...question)
  } catch (error) {
    if (confirm === null || asApiError(error).code !== 'REAUTHENTICATION_REQUIRED') throw error
    await confirm()
    return askOnce(...question)
  }
}

async function askOnce<Data, Variables>(
  operation: Operation<Data, Variables>,
  variables: Variables,
  readHeaders: (headers: Headers) => void = () => {},
): Promise<Answered<Data>> {
  const askedAt = Date.now()
  const response = await send(operation.query, variables)
  readHeaders(response.headers)
  noteTime(response.headers.get(TIME), askedAt)
  const body = await jsonOf(response)
  const data = dataOf(body, operation.query)
  if (data === null) throw errorOfAnswer(response, body)
  for (const field of Object.values(data)) throwRequestError(field)
  return data as Answered<Data>
}

async function send(query: string, variables: unknown): Promise<Response> {
  try {
    const headers = { 'content-type': 'application/json', accept: 'application/json', [TIME]: '1' }
    const body = JSON.stringify({ query, variables })
    const signal = query.startsWith('mutation') ? null : AbortSignal.timeout(LONGEST_WAIT_MS)
    return await fetch(GRAPHQL, { method: 'POST', headers, body, credentials: 'same-origin', signal })
  } catch {
    throw offline()
  }
}

const offline = () => new ApiError('The service cannot be reached: check the connection.', { code: 'OFFLINE' })

/** Null: it is no answer of the service to this query. @throws ApiError the first of its errors */
function dataOf(body: unknown, query: string): Json | null {
  const { data, errors } = jsonIn(body)
  if (errors !== undefined) {
    const { message, extensions } = jsonIn(Array.isArray(errors) ? errors[0] : null)
    if (typeof message === 'string') throw errorOf(message, jsonIn(extensions))
    return null
  }
  const names = Object.keys(jsonIn(data))
  return names.length > 0 && names.every((name) => query.includes(name)) ? jsonIn(data) : null
}

/** Empty where it is no object. */
const jsonIn = (value: unknown): Json => (typeof value === 'object' && value !== null ? { ...value } : {})
const textIn = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)
const violationsIn = (value: unknown): Violation[] =>
  Array.isArray(value)
    ? value.filter((one) => textIn(jsonIn(one).path) !== undefined && textIn(one.message) !== undefined)
    : []

/** Null: the body is no JSON, as a page of a proxy. @throws ApiError OFFLINE: the connection was lost before the body had come */
export async function jsonOf(response: Response): Promise<unknown> {
  try {
    return await response.json()
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw offline()
  }
}

/** Maps a failed answer of another API than GraphQL. Proxies send no code, so the status decides. */
export function errorOfAnswer({ status, headers }: Response, body: unknown): ApiError {
  const answer = jsonIn(body)
  const code = textIn(answer.error_code) ?? codeOf(status)
  const details = violationsIn(answer.details)
  const message = textIn(answer.error)
  return new ApiError(message === undefined ? sentenceOfStatus(code, status) : sentenceOf(code, message, details), {
    code,
    requestId: headers.get('x-request-id') ?? undefined,
    details: remarked(details),
    retryAfterSeconds: retryAfterOf(headers),
  })
}

const sentenceOfStatus = (code: string, status: number): string =>
  OF_PROXIES[status] ??
  (code === 'UNEXPECTED_ANSWER'
    ? `Something between this page and the service answered, with status ${status}: try again in a moment, then tell your operator.`
    : `The service answered with status ${status}: try again in a moment.`)

/** Retry-After is in seconds, or a time by the clock of what answered. */
function retryAfterOf(headers: Headers): number | undefined {
  const text = headers.get('retry-after') ?? ''
  if (/^\d+$/.test(text)) return Number(text)
  const now = Date.parse(headers.get('date') ?? '')
  const seconds = Math.ceil((Date.parse(text) - (Number.isNaN(now) ? Date.now() : now)) / 1000)
  return Number.isNaN(seconds) ? undefined : seconds
}

function errorOf(message: string, { code, requestId, details, retryAfterSeconds: seconds }: Json): ApiError {
  const violations = violationsIn(details)
  const parts = { requestId: textIn(requestId), details: remarked(violations) }
  const known = textIn(code) ?? 'INTERNAL_ERROR'
  noteError(known)
  return new ApiError(sentenceOf(known, message, violations), {
    ...parts,
    code: known,
    ...(typeof seconds === 'number' && { retryAfterSeconds: seconds }),
  })
}

function throwRequestError(field: unknown): void {
  const error = field as RequestError | null
  if (error?.__typename !== 'RequestError') return
  const { code, requestId, details = [] } = error
  throw new ApiError(sentenceOf(code, error.message, details), { code, requestId, details: remarked(details) })
}

const remarked = (details: readonly Violation[]): Violation[] =>
  details.map(({ path, message }) => ({ path, message: remarkOf(message) }))

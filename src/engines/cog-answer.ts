import { EngineError, FailedAttempt } from './engine.ts'
import { textsOf, withoutWordsOf } from './server-words.ts'

/** A prediction's id if it can be stored and put into a path. Callers see it, so it must not be an address. */
const ID_FORM = /^[\x21-\x7e]{1,200}$/
const MAX_PREDICT_SECONDS = 2_000_000

/** What a server that speaks the Cog HTTP API says of a prediction. */
export interface Answer {
  readonly id?: unknown
  readonly status?: unknown
  readonly output?: unknown
  readonly error?: unknown
  readonly metrics?: { readonly predict_time?: unknown } | null
}

/** What a prediction that succeeded brought. */
export interface Prediction {
  readonly id: string
  /** JSON as the server gave it: data URLs, http URLs, lists and objects of them, or plain values. */
  readonly output: unknown
  /** `metrics.predict_time`; null where the server does not say. */
  readonly predictMs: number | null
}

export const isUnderWay = ({ status }: Answer): boolean => status === 'starting' || status === 'processing'
export const hasEnded = ({ status }: Answer): boolean =>
  status === 'succeeded' || status === 'failed' || status === 'canceled'

/** The server's own id of the prediction, or the one that it was asked to take. */
export const idOf = (answer: Answer, asked: string): string =>
  typeof answer.id === 'string' && ID_FORM.test(answer.id) && !answer.id.includes('//') ? answer.id : asked

/** Whole milliseconds on the GPU, as far as the server says; also of a prediction that failed or was cancelled. */
export function predictMsOf({ metrics }: Answer): number | null {
  const seconds = metrics?.predict_time
  const known = typeof seconds === 'number' && seconds >= 0 && seconds < MAX_PREDICT_SECONDS
  return known ? Math.round(seconds * 1000) : null
}

/** A prediction that succeeded. @throws EngineError RENDER_FAILED where it failed, FailedAttempt where it was cancelled or is none */
export function finished(answer: Answer, id: string, input: Readonly<Record<string, unknown>>): Prediction {
  if (answer.status === 'failed') {
    const reason =
      typeof answer.error === 'string' ? withoutWordsOf(answer.error, textsOf(input)) : 'it gives no reason'
    throw new EngineError('RENDER_FAILED', `the prediction failed: ${reason}`)
  }
  if (answer.status === 'canceled') throw new FailedAttempt('the server cancelled the prediction')
  if (answer.status !== 'succeeded') throw new FailedAttempt('the answer is no prediction')
  return { id, output: answer.output ?? null, predictMs: predictMsOf(answer) }
}

import { EngineError, FailedAttempt } from './engine.ts'
import { textsOf, withoutWordsOf } from './server-words.ts'

/** Callers see the id and a path contains it, so it must not be an address. */
const ID_FORM = /^[\x21-\x7e]{1,200}$/
const MAX_PREDICT_SECONDS = 2_000_000

export interface Answer {
  readonly id?: unknown
  readonly status?: unknown
  readonly output?: unknown
  readonly error?: unknown
  readonly metrics?: { readonly predict_time?: unknown } | null
}

export interface Prediction {
  readonly id: string
  /** Data URLs, http URLs, lists and objects of them, or plain values. */
  readonly output: unknown
  /** `metrics.predict_time`; null if the server does not say. */
  readonly predictMs: number | null
}

export const isUnderWay = ({ status }: Answer): boolean => status === 'starting' || status === 'processing'
export const hasEnded = ({ status }: Answer): boolean =>
  status === 'succeeded' || status === 'failed' || status === 'canceled'

export const idOf = (answer: Answer, asked: string): string =>
  typeof answer.id === 'string' && ID_FORM.test(answer.id) && !answer.id.includes('//') ? answer.id : asked

export function predictMsOf({ metrics }: Answer): number | null {
  const seconds = metrics?.predict_time
  const known = typeof seconds === 'number' && seconds >= 0 && seconds < MAX_PREDICT_SECONDS
  return known ? Math.round(seconds * 1000) : null
}

/** @throws EngineError RENDER_FAILED if it failed, FailedAttempt otherwise */
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

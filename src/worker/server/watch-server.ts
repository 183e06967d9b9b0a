import { setTimeout as wait } from 'node:timers/promises'
import { request } from 'undici'
import type { ServerSpec } from './server-file.ts'

/** A server that stops answering is given up after so many questions in a row, however long this process slept between them. */
const UNANSWERED_PROBES = 3

/** How a server is watched, in milliseconds. */
export interface ServerTimes {
  /** Between two questions whether it is ready. */
  readonly pollMs: number
  /** Between two questions whether it still answers. */
  readonly probeMs: number
  /** How long an answer may take: a busy server answers late. */
  readonly answerMs: number
  /** A server that has not answered for this long is restarted. */
  readonly silenceMs: number
  /** Before the first restart; twice that before each further one, up to the longest. */
  readonly backoffMs: number
  readonly longestBackoffMs: number
  /** A server that was ready for this long begins with the first backoff again. */
  readonly steadyMs: number
}

export const TIMES: ServerTimes = {
  pollMs: 200,
  probeMs: 2000,
  answerMs: 10_000,
  silenceMs: 30_000,
  backoffMs: 1000,
  longestBackoffMs: 60_000,
  steadyMs: 60_000,
}

interface Watched {
  readonly url: string
  readonly spec: Pick<ServerSpec, 'readyPath' | 'startSeconds'>
  readonly times: ServerTimes
  readonly signal: AbortSignal
  onReady(tookMs: number): void
}

/** Settles when the server is not ready in time, or does not answer any more, with that in words; or when the signal is aborted. */
export async function watchServer(watched: Watched): Promise<string> {
  try {
    return (await untilReady(watched)) ?? (await untilSilent(watched))
  } catch (error) {
    if (watched.signal.aborted) return 'it was stopped'
    throw error
  }
}

/** null: it is ready. */
async function untilReady({ url, spec, times, signal, onReady }: Watched): Promise<string | null> {
  const began = performance.now()
  const elapsed = () => performance.now() - began
  const limitMs = spec.startSeconds * 1000
  while (!(await answers(url + spec.readyPath, Math.max(1, Math.min(times.answerMs, limitMs - elapsed())), signal))) {
    if (elapsed() > limitMs) return `it was not ready within ${spec.startSeconds} s (GET ${spec.readyPath})`
    await wait(times.pollMs, undefined, { signal })
  }
  signal.throwIfAborted()
  onReady(elapsed())
  return null
}

async function untilSilent({ url, spec, times, signal }: Watched): Promise<string> {
  for (let [answeredAt, unanswered] = [performance.now(), 0]; ; ) {
    await wait(times.probeMs, undefined, { signal })
    if (await answers(url + spec.readyPath, times.answerMs, signal)) [answeredAt, unanswered] = [performance.now(), 0]
    else unanswered++
    if (unanswered >= UNANSWERED_PROBES && performance.now() - answeredAt > times.silenceMs)
      return `it has not answered for ${Math.round(times.silenceMs / 1000)} s (GET ${spec.readyPath})`
  }
}

/** Whether a GET is answered with 2xx in time. */
async function answers(url: string, timeoutMs: number, signal: AbortSignal): Promise<boolean> {
  try {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
    // A connection of its own: one that was kept says nothing about new ones.
    const answer = await request(url, { signal: limit, reset: true })
    await answer.body.dump()
    return answer.statusCode >= 200 && answer.statusCode < 300
  } catch {
    return false
  }
}

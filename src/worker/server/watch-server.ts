import { setTimeout as wait } from 'node:timers/promises'
import { request } from 'undici'
import type { ServerSpec } from './server-file.ts'

/** Counting probes tolerates a pause of this process. */
const UNANSWERED_PROBES = 3

/** Milliseconds; `backoffMs` doubles up to the longest, and `steadyMs` of readiness resets it. */
export interface ServerTimes {
  readonly pollMs: number
  readonly probeMs: number
  readonly answerMs: number
  readonly silenceMs: number
  readonly backoffMs: number
  readonly longestBackoffMs: number
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

/** Resolves with the reason if the server is late or stops answering, or when the signal aborts. */
export async function watchServer(watched: Watched): Promise<string> {
  try {
    return (await untilReady(watched)) ?? (await untilSilent(watched))
  } catch (error) {
    if (watched.signal.aborted) return 'it was stopped'
    throw error
  }
}

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

async function answers(url: string, timeoutMs: number, signal: AbortSignal): Promise<boolean> {
  try {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
    // Only a new connection shows that the server accepts connections.
    const answer = await request(url, { signal: limit, reset: true })
    await answer.body.dump()
    return answer.statusCode >= 200 && answer.statusCode < 300
  } catch {
    return false
  }
}

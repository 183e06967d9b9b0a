import type { Release } from '../concurrency/semaphore.ts'
import { BadAudio, EngineError, type Speech, type SpeechEngine, type SpeechRequest } from './engine.ts'
import type { SpeechServer } from './speech-server.ts'

const CHECK_MS = 1000
const LEAST_CHECKS = 20
const MUCH_LONGER = 8

export interface Member {
  readonly server: Pick<SpeechServer, 'slots' | 'breaker' | 'pace'>
  /** Speaks without taking a slot. */
  ask(request: SpeechRequest): Promise<Speech>
}

/**
 * Asks the server that has the smallest part of its permits in use. After a failure, or an answer that takes much too long while another
 * server is free, the request goes to a server that it has not tried, and later ones avoid the first until it has spoken again.
 * @throws the error of a rejected request, or of the last server; if only some need the operator, an error that passes
 */
export function leastLoaded(members: readonly Member[], checkMs = CHECK_MS): SpeechEngine['speak'] {
  const failed = new Set<Member>()
  return async (request) => {
    const tried = new Set<Member>()
    let passing: EngineError | undefined
    const left = () => members.filter((one) => !tried.has(one))
    const next = () => {
      const usable = left().filter(isUsable)
      const good = usable.filter((one) => !failed.has(one))
      return good.length > 0 ? good : usable
    }
    for (let candidates = next(); ; candidates = next()) {
      const { member, release } = await takeSlot(candidates.length > 0 ? candidates : left(), request)
      try {
        const isFree = () => next().some((one) => one !== member && one.server.slots.load < 1)
        const speech = await askInTime({ member, members, request, isFree, checkMs })
        failed.delete(member)
        return speech
      } catch (error) {
        const isRejected = !(error instanceof EngineError) || error.code === 'RENDER_FAILED'
        tried.add(member)
        if (!isRejected || error instanceof BadAudio) failed.add(member)
        if (request.signal.aborted || isRejected) throw error
        if (error.code !== 'INTERNAL_ERROR') passing = error
        const others = passing === undefined ? left() : next()
        if (others.length === 0) throw passing ?? error
      } finally {
        release()
      }
    }
  }
}

interface Asked {
  readonly member: Member
  readonly members: readonly Member[]
  readonly request: SpeechRequest
  readonly isFree: () => boolean
  readonly checkMs: number
}

/** @throws Late, if another server is free; the error of `ask` */
async function askInTime({ member, members, request, isFree, checkMs }: Asked): Promise<Speech> {
  const { expectedSeconds = 0 } = request
  if (members.length === 1 || expectedSeconds === 0) return member.ask(request)
  const late = new AbortController()
  const begun = performance.now()
  const watch = setInterval(() => {
    const usualMs = Math.max(...members.map(({ server }) => server.pace ?? 0)) * expectedSeconds * 1000
    const isLate = performance.now() - begun > Math.max(LEAST_CHECKS * checkMs, MUCH_LONGER * usualMs)
    if (isLate && isFree()) late.abort(new Late())
  }, checkMs)
  try {
    const speech = await member.ask({ ...request, signal: AbortSignal.any([request.signal, late.signal]) })
    member.server.pace = (performance.now() - begun) / 1000 / expectedSeconds
    return speech
  } finally {
    clearInterval(watch)
  }
}

class Late extends EngineError {
  constructor() {
    super('PROVIDER_UNAVAILABLE', 'The server does not answer, and another one is free.')
  }
}

const isUsable = ({ server: { slots, breaker } }: Member): boolean => breaker.admits && slots.load < Infinity

interface Taken {
  readonly member: Member
  readonly release: Release
}

/** @throws the signal's reason */
async function takeSlot(members: readonly Member[], { signal, awaitedBy }: SpeechRequest): Promise<Taken> {
  const loads = members.map((member) => ({ member, load: member.server.slots.load, order: Math.random() }))
  const [first] = loads.sort((a, b) => a.load - b.load || a.order - b.order)
  if (first !== undefined && (members.length === 1 || first.load < 1))
    return { member: first.member, release: await first.member.server.slots.acquire(signal, awaitedBy) }
  return takeAny(members, signal, awaitedBy)
}

/** The first slot that is free at any of them. */
async function takeAny(members: readonly Member[], signal: AbortSignal, awaitedBy: string | undefined): Promise<Taken> {
  const over = new AbortController()
  const until = AbortSignal.any([signal, over.signal])
  const waits = members.map(async (member) => {
    const release = await member.server.slots.acquire(until, awaitedBy)
    // Two servers may grant at once.
    if (over.signal.aborted) {
      release()
      throw new Error('another server has been taken')
    }
    over.abort()
    return { member, release }
  })
  try {
    return await Promise.any(waits)
  } catch (error) {
    signal.throwIfAborted()
    throw error
  }
}

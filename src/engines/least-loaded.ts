import type { Release } from '../concurrency/semaphore.ts'
import { BadAudio, EngineError, type Speech, type SpeechEngine, type SpeechRequest } from './engine.ts'
import type { SpeechServer } from './speech-server.ts'

export interface Member {
  readonly server: Pick<SpeechServer, 'slots' | 'breaker'>
  /** Speaks without taking a slot. */
  ask(request: SpeechRequest): Promise<Speech>
}

/**
 * Asks the server that has the smallest part of its permits in use. After a failure the request goes to a server that it has not tried,
 * and later ones avoid that server until it has spoken again. @throws the error of the last server, or of a rejected request
 */
export function leastLoaded(members: readonly Member[]): SpeechEngine['speak'] {
  const failed = new Set<Member>()
  return async (request) => {
    const tried = new Set<Member>()
    const next = () => {
      const usable = members.filter((one) => isUsable(one) && !tried.has(one))
      const good = usable.filter((one) => !failed.has(one))
      return good.length > 0 ? good : usable
    }
    for (let candidates = next(); ; candidates = next()) {
      const { member, release } = await takeSlot(candidates.length > 0 ? candidates : members, request)
      try {
        const speech = await member.ask(request)
        failed.delete(member)
        return speech
      } catch (error) {
        const isRejected = !(error instanceof EngineError) || error.code === 'RENDER_FAILED'
        tried.add(member)
        if (!isRejected || error instanceof BadAudio) failed.add(member)
        if (request.signal.aborted || isRejected || next().length === 0) throw error
      } finally {
        release()
      }
    }
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

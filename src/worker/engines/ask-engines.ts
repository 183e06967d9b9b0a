import type { VoiceEndpoint } from '../../context/catalog-snapshot.ts'
import type { SpeechEngine, SpeechRequest } from '../../engines/engine.ts'
import type { Engines } from '../../engines/engines.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { missingVoices, speakSample } from '../../voice/trials/try-engine.ts'
import { failureOf } from './engine-failure.ts'
import { AGAIN_MS, type EngineNotes, type Finding, type Place, placeKey } from './engine-notes.ts'

/** Milliseconds. */
export interface AskTimes {
  /** After a worker first sees the engine. */
  readonly first: number
  /** Between two looks at an engine; one that was used meanwhile is not asked to speak. */
  readonly every: number
  /** At a server with a key, which may be paid by the character. */
  readonly everyKeyed: number
  /** The first time after the engine has failed, unless it has a key. */
  readonly again: number
  readonly limit: number
}

const TIMES: AskTimes = { first: 5000, every: 300_000, everyKeyed: 3_600_000, again: AGAIN_MS, limit: 20_000 }
/** A worker that dies while it asks leaves the engine to others by then. */
const LEASE_MS = 60_000

/** `slug`, `server` and an engine block of this server alone. */
export interface Part extends Place {
  readonly endpoint: VoiceEndpoint
  /** Key of `engineParts`. */
  readonly key: string
  readonly block: VoiceEndpoint['engine']
}

interface Claimed {
  readonly slug: string
  readonly server: string
  /** Null: another worker asks it, or none until then. */
  readonly isFailing: boolean | null
  readonly idleMs: number | null
  readonly failingMs: number | null
  readonly dueMs: number | null
}

const CLAIM = `
  with given as (select * from json_to_recordset($1) as g (slug text, server text)),
  claimed as (
    insert into engine_server as e (endpoint_slug, server, due_at)
    select slug, server, now() + $2 * interval '1 millisecond' from given order by slug, server
    on conflict (endpoint_slug, server) do update set due_at = excluded.due_at where e.due_at <= now()
    returning e.endpoint_slug, e.server, e.failure, e.used_at, e.failing_since
  )
  select g.slug, g.server, case when c.server is not null then c.failure is not null end as "isFailing",
    (extract(epoch from now() - c.used_at) * 1000)::float8 as "idleMs",
    (extract(epoch from now() - c.failing_since) * 1000)::float8 as "failingMs",
    (extract(epoch from e.due_at - now()) * 1000)::float8 as "dueMs"
  from given g
  left join claimed c on c.endpoint_slug = g.slug and c.server = g.server
  left join engine_server e on e.endpoint_slug = g.slug and e.server = g.server`

interface AskerOptions {
  readonly engines: Engines
  readonly notes: EngineNotes
  readonly times?: Partial<AskTimes> | undefined
  mayUse(key: string): boolean
  /** Undefined: the engine is there. */
  reasonOf(key: string): string | undefined
}

/** Looks at each engine for all workers: one of them lists its voices and, unless jobs use it, has it speak a sentence. */
export class EngineAsker {
  readonly #runtime: Runtime
  readonly #options: AskerOptions
  readonly #times: AskTimes
  /** By endpoint, server and time of the endpoint's last change, on the clock of `performance.now()`. */
  readonly #dueAt = new Map<string, number>()
  readonly #ending = new AbortController()
  #isClaiming = false

  constructor(runtime: Runtime, options: AskerOptions) {
    this.#runtime = runtime
    this.#options = options
    this.#times = { ...TIMES, ...options.times }
  }

  end(): void {
    this.#ending.abort()
  }

  /** The rows of these are due. */
  soon(parts: readonly Part[]): void {
    for (const part of parts) this.#dueAt.set(nameOf(part), performance.now())
  }

  /** Asks those that are due. Never rejects. */
  async ask(parts: readonly Part[]): Promise<void> {
    const names = new Set(parts.map(nameOf))
    for (const name of this.#dueAt.keys()) if (!names.has(name)) this.#dueAt.delete(name)
    const due = parts.filter((part) => this.#isDue(part))
    if (due.length === 0 || this.#isClaiming) return
    this.#isClaiming = true
    const rows = await this.#claim(due).finally(() => {
      this.#isClaiming = false
    })
    const claimed = new Map(rows.map((row) => [placeKey(row), row]))
    await Promise.all(due.map((part) => this.#follow(part, claimed.get(placeKey(part)))))
  }

  #isDue(part: Part): boolean {
    const { notes, mayUse } = this.#options
    const now = performance.now()
    const known = this.#dueAt.get(nameOf(part)) ?? now + this.#times.first
    const dueAt = notes.fails(part) ? Math.min(known, now + this.#times.again) : known
    this.#dueAt.set(nameOf(part), dueAt)
    return dueAt <= now && mayUse(part.key)
  }

  async #claim(parts: readonly Part[]): Promise<Claimed[]> {
    const { db, log } = this.#runtime
    const places = parts.map(({ slug, server }) => ({ slug, server }))
    try {
      const values = [JSON.stringify(places), LEASE_MS]
      return (await db.pool.query<Claimed>({ name: 'claim_engines', text: CLAIM, values })).rows
    } catch (error) {
      log.warn({ err: (error as Error).message }, 'engines are asked later')
      return []
    }
  }

  async #follow(part: Part, row: Claimed | undefined): Promise<void> {
    const { again } = this.#times
    const isClaimed = row !== undefined && row.isFailing !== null
    const leftMs = isClaimed ? LEASE_MS : Math.max(0, row?.dueMs ?? again)
    this.#dueAt.set(nameOf(part), performance.now() + leftMs)
    if (!isClaimed) return
    const failedMs = row.isFailing ? row.failingMs : null
    const idleFor = this.#pauseMs(part, failedMs)
    const isIdle = (row.idleMs ?? idleFor) >= idleFor && this.#options.notes.inUse(part.key) === 0
    const finding = await this.#find(part, isIdle)
    if (this.#ending.signal.aborted) return
    const fails = finding.outcome === undefined ? row.isFailing : 'failure' in finding.outcome
    const dueMs = this.#pauseMs(part, fails ? (failedMs ?? 0) : null)
    this.#options.notes.note(part, { ...finding, dueMs })
    await this.#options.notes.write()
    this.#dueAt.set(nameOf(part), performance.now() + dueMs)
  }

  /** One that fails is asked again after as long as it has failed: the pauses double. */
  #pauseMs({ block }: Part, failingMs: number | null): number {
    const { again, every, everyKeyed } = this.#times
    if (isKeyed(block)) return everyKeyed
    return failingMs === null ? every : Math.min(every, Math.max(again, Math.round(failingMs)))
  }

  async #find(part: Part, isIdle: boolean): Promise<Finding> {
    const { endpoint, key, block, server } = part
    const reason = this.#options.reasonOf(key)
    // Workers tell of a model that they lack themselves.
    if (reason !== undefined && server === '') return {}
    if (reason !== undefined) return { outcome: { failure: 'unreachable', error: reason } }
    const signal = AbortSignal.any([this.#ending.signal, AbortSignal.timeout(this.#times.limit)])
    const offered = block.kind === 'openai-speech' ? await this.#voicesOf(block, signal) : null
    const voices = offered === null ? undefined : { offered: offered.length, missing: missingVoices(endpoint, offered) }
    if (!isIdle || endpoint.voices.length === 0) return { voices }
    return { voices, outcome: await this.#outcomeOf(part, signal) }
  }

  /** Null: the engine lists none. Its sentence shows what else is wrong with it. */
  #voicesOf(block: Part['block'], signal: AbortSignal): Promise<readonly string[] | null> {
    return this.#options.engines.use(block, (engine) => engine.voices(signal)).catch(() => null)
  }

  /** Undefined: the engine has no free slot. */
  async #outcomeOf({ block, endpoint }: Part, signal: AbortSignal): Promise<Finding['outcome']> {
    const { engines } = this.#options
    const speak = async (request: SpeechRequest) => {
      const speech = await engines.ask(block, request)
      if (speech === null) throw new NoSlot()
      return speech
    }
    // Only what is no speech at all fails: jobs have their own checks.
    const engine: SpeechEngine = { slots: 1, deterministic: true, voices: async () => null, speak }
    try {
      const { tookMs, durationMs } = await speakSample(this.#runtime, engine, endpoint, signal)
      return { tookMs, audioMs: durationMs }
    } catch (error) {
      const failure = error instanceof NoSlot ? null : failureOf(error, block.kind, true)
      return failure === null ? undefined : { failure, error: messageOf(error, this.#times.limit) }
    }
  }
}

class NoSlot extends Error {}

const nameOf = (part: Part): string => `${placeKey(part)} ${part.endpoint.updatedAt?.getTime() ?? ''}`

const isKeyed = ({ servers, ...block }: Part['block']): boolean => /"api_key_/.test(JSON.stringify(servers ?? block))

const messageOf = (error: unknown, limitMs: number): string =>
  (error as Error).name === 'TimeoutError'
    ? `The engine took more than ${Math.round(limitMs / 1000)} s for a sentence.`
    : (error as Error).message

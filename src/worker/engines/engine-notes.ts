import { durationMs } from '../../audio/wav.ts'
import { engineParts } from '../../catalog/engine-server.ts'
import type { VoiceEndpoint } from '../../context/catalog-snapshot.ts'
import { type Speech, serverAddress } from '../../engines/engine.ts'
import { OWNED_SERVER } from '../../engines/engine-block.ts'
import type { RequestEnd } from '../../engines/measure-request.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { type EngineFailure, failureOf } from './engine-failure.ts'

const EVERY_MS = 15_000
export const AGAIN_MS = 15_000
const MAX_ERROR_CHARACTERS = 300

/** An endpoint's engine at one of its servers. */
export interface Place {
  readonly slug: string
  /** As the tables have it. */
  readonly server: string
}

type Outcome =
  | { readonly tookMs: number; readonly audioMs: number }
  | { readonly failure: EngineFailure; readonly error: string }

export interface Finding {
  readonly outcome?: Outcome | undefined
  readonly voices?: { readonly offered: number; readonly missing: readonly string[] } | undefined
  /** Until the next look at it. */
  readonly dueMs?: number
}

interface Note extends Place {
  used: boolean
  spoken: number
  failed: number
  all_took: number
  all_audio: number
  took: number | null
  audio: number | null
  failure: string | null
  error: string | null
  offered: number | null
  missing: readonly string[]
  due_ms: number
}

const FAILURE = 'case when excluded.spoke_at is null then coalesce(excluded.failure, e.failure) end'
const MISSING = 'case when excluded.voices_offered is null then e.voices_missing else excluded.voices_missing end'
const NOTE = `
  with given as (
    select * from json_to_recordset($1) as g (slug text, server text, used boolean, spoken int, failed int, all_took int8,
      all_audio int8, took int, audio int, failure text, error text, offered int, missing json, due_ms int)
  ), minutes as (
    insert into engine_minute as m (endpoint_slug, server, minute, spoken, failed, took_ms, audio_ms)
    select slug, server, date_trunc('minute', now()), spoken, failed, all_took, all_audio from given
    where spoken + failed > 0 order by slug, server
    on conflict (endpoint_slug, server, minute) do update set spoken = m.spoken + excluded.spoken,
      failed = m.failed + excluded.failed, took_ms = m.took_ms + excluded.took_ms, audio_ms = m.audio_ms + excluded.audio_ms
  )
  insert into engine_server as e (endpoint_slug, server, due_at, used_at, spoke_at, took_ms, audio_ms, failure, error,
    voices_offered, voices_missing, failing_since)
  select slug, server, now() + due_ms * interval '1 millisecond', case when used then now() end,
    case when took is not null then now() end, took, audio, failure, error, offered,
    array(select json_array_elements_text(missing)), case when failure is not null or json_array_length(missing) > 0 then now() end
  from given order by slug, server
  on conflict (endpoint_slug, server) do update set
    due_at = case when excluded.due_at > now() then excluded.due_at else e.due_at end,
    used_at = coalesce(excluded.used_at, e.used_at), spoke_at = coalesce(excluded.spoke_at, e.spoke_at),
    took_ms = coalesce(excluded.took_ms, e.took_ms), audio_ms = coalesce(excluded.audio_ms, e.audio_ms),
    failure = ${FAILURE}, error = case when ${FAILURE} is not null then coalesce(excluded.error, e.error) end,
    voices_offered = coalesce(excluded.voices_offered, e.voices_offered), voices_missing = ${MISSING},
    failing_since = case when ${FAILURE} is not null or cardinality(${MISSING}) > 0 then coalesce(e.failing_since, now()) end`

const BACK = `
  update engine_server set failure = null, error = null, failing_since = null, due_at = now()
  where (failure in ('unreachable', 'model') or server = '' and failure is not null)
    and (endpoint_slug, server) in (select slug, server from json_to_recordset($1) as g (slug text, server text))`

export const placeKey = ({ slug, server }: Place): string => `${slug} ${server}`

/** The server of a part of an engine, as the tables have it. */
export function serverOfPart(key: string, kind: string, workerId: string): string {
  if (kind !== 'openai-speech') return ''
  return key === OWNED_SERVER ? workerId : key
}

/** Collects what this worker's requests show of the engines, and writes it: a change within a second, the rest every 15 seconds. */
export class EngineNotes {
  readonly #runtime: Pick<Runtime, 'catalog' | 'db' | 'log' | 'workerId'>
  readonly #inUse = new Map<string, number>()
  readonly #notes = new Map<string, Note>()
  readonly #places = new Map<string, { readonly place: Place; requests: number; speaks: boolean | null }>()
  readonly #againMs: number
  #writtenAt = Number.NEGATIVE_INFINITY
  #isUrgent = false

  /** @param againMs until somebody looks at an engine that has failed */
  constructor(runtime: Pick<Runtime, 'catalog' | 'db' | 'log' | 'workerId'>, againMs = AGAIN_MS) {
    this.#runtime = runtime
    this.#againMs = againMs
  }

  /** Requests of this worker by the keys of `engineParts`. */
  inUse(key: string): number {
    return this.#inUse.get(key) ?? 0
  }

  fails(place: Place): boolean {
    return this.#places.get(placeKey(place))?.speaks === false
  }

  /** The server or the model is there again: what was noted of its absence is over, and the engine is asked at once. */
  async noteBack(places: readonly Place[]): Promise<void> {
    for (const place of places) this.#known(place).speaks = null
    const { db, log } = this.#runtime
    await db.pool
      .query({ name: 'engines_back', text: BACK, values: [JSON.stringify(places)] })
      .catch((error: Error) => log.warn({ err: error.message }, 'the state of engines could not be noted'))
  }

  /** A request of a job begins. @param address null: the engine is inside this process */
  follow(block: unknown, address: string | null): (end: RequestEnd<Speech>) => void {
    const engine = block as VoiceEndpoint['engine']
    const key = address === null ? ([...engineParts({ engine }).keys()][0] ?? '') : serverAddress(address)
    const places = this.#placesOf(engine, key)
    const count = (change: number): void => {
      this.#inUse.set(key, this.inUse(key) + change)
      for (const place of places) this.#known(place).requests += change
    }
    count(1)
    return (end) => {
      count(-1)
      for (const place of places) this.note(place, { outcome: outcomeOf(end, engine.kind) }, true)
    }
  }

  note(place: Place, { outcome, voices, dueMs = 0 }: Finding, isUse = false): void {
    const known = this.#known(place)
    const note = this.#noteOf(place)
    note.used ||= isUse
    if (voices !== undefined) [note.offered, note.missing] = [voices.offered, voices.missing]
    if (dueMs > 0) note.due_ms = dueMs
    if (voices !== undefined || dueMs > 0) this.#isUrgent = true
    if (outcome === undefined) return
    addOutcome(note, outcome)
    if ('failure' in outcome && dueMs === 0) note.due_ms = this.#againMs
    const speaks = 'tookMs' in outcome
    if (speaks !== known.speaks) this.#isUrgent = true
    known.speaks = speaks
  }

  /** Never rejects. */
  async write(): Promise<void> {
    if (!this.#isUrgent && performance.now() - this.#writtenAt < EVERY_MS) return
    for (const { place, requests } of this.#places.values()) if (requests > 0) this.#noteOf(place).used = true
    const notes = [...this.#notes.values()]
    this.#notes.clear()
    this.#isUrgent = false
    this.#writtenAt = performance.now()
    if (notes.length === 0) return
    const { db, log } = this.#runtime
    await db.pool
      .query({ name: 'note_engines', text: NOTE, values: [JSON.stringify(notes)] })
      .catch((error: Error) => log.warn({ err: error.message }, 'the state of engines could not be noted'))
  }

  #placesOf(engine: VoiceEndpoint['engine'], key: string): Place[] {
    const text = JSON.stringify(engine)
    const server = serverOfPart(key, engine.kind, this.#runtime.workerId)
    return [...this.#runtime.catalog.current.endpoints.values()].flatMap((endpoint) =>
      endpoint.engine === engine || JSON.stringify(endpoint.engine) === text ? [{ slug: endpoint.slug, server }] : [],
    )
  }

  #known(place: Place) {
    const known = this.#places.get(placeKey(place)) ?? { place, requests: 0, speaks: null }
    this.#places.set(placeKey(place), known)
    return known
  }

  #noteOf(place: Place): Note {
    const note = this.#notes.get(placeKey(place)) ?? {
      ...{ ...place, used: false, spoken: 0, failed: 0, all_took: 0, all_audio: 0, took: null, audio: null },
      ...{ failure: null, error: null, offered: null, missing: [], due_ms: 0 },
    }
    this.#notes.set(placeKey(place), note)
    return note
  }
}

function addOutcome(note: Note, outcome: Outcome): void {
  if ('tookMs' in outcome) {
    const [took, audio] = [Math.round(outcome.tookMs), outcome.audioMs]
    note.spoken++
    note.all_took += took
    note.all_audio += audio
    Object.assign(note, { took, audio, failure: null, error: null })
    return
  }
  const [error = ''] = outcome.error.split('\n')
  note.failed++
  Object.assign(note, {
    took: null,
    audio: null,
    failure: outcome.failure,
    error: error.slice(0, MAX_ERROR_CHARACTERS),
  })
}

/** Undefined: the request's own fault, or a full server. */
function outcomeOf(end: RequestEnd<Speech>, kind: string): Outcome | undefined {
  if ('answer' in end) return { tookMs: end.tookMs, audioMs: durationMs(end.answer.audio) }
  const failure = end.error === null ? null : failureOf(end.error, kind)
  return failure === null ? undefined : { failure, error: (end.error as Error).message }
}

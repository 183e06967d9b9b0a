import { batch, type Signal, signal } from '@preact/signals'
import { type ApiError, asApiError } from '../../api/api-error.ts'
import { ask } from '../../api/ask.ts'
import { comebacks, follow } from '../../api/follow.ts'
import { randomKey } from '../../api/random-key.ts'
import { chooseTake, heard, type StudioJobsSubscription, speakParagraphs, studioJobs } from '../../operations.ts'
import { announce } from '../../parts/announce.ts'
import { count } from '../../parts/format.ts'
import type { Chapter, Project } from '../model/project.ts'
import { loadTakes } from './open-project.ts'
import { type Take, withAnswer, withJob } from './states.ts'

type Job = StudioJobsSubscription['jobChanges']['jobs'][number]
const NONE: readonly Take[] = []

/** speakParagraphs refused the paragraph for this. */
interface Refused {
  readonly key: string
  readonly message: string
}

interface Spoken {
  /** So many paragraphs have a job by now. */
  readonly begun: number
  readonly refused: readonly Refused[]
  /** The others were not answered for. */
  readonly failure: ApiError | null
}

/** The takes of a project, followed live. */
export class Takes {
  readonly #id: string
  readonly #project: () => Project
  readonly #of = new Map<string, Signal<readonly Take[]>>()
  /** The paragraph of each job. */
  readonly #keys = new Map<string, string>()
  /** Rises with each change of any take. */
  readonly changes = signal(0)
  /** The jobs that were begun here and have not ended: their end is said. */
  readonly #awaited = new Set<string>()
  /** News of jobs that are not known yet: a short one may end before the answer that names it is here. */
  readonly #early = new Map<string, Job>()
  #failed = 0
  /** Rises with each question and each change. */
  #clock = 0
  /** When the takes of a paragraph have changed here, and when the question was asked whose answer they are, by that clock. */
  readonly #changedAt = new Map<string, number>()
  readonly #askedAt = new Map<string, number>()

  constructor(id: string, project: () => Project) {
    this.#id = id
    this.#project = project
  }

  /** The takes of a paragraph, newest first. */
  of(key: string): Signal<readonly Take[]> {
    const known = this.#of.get(key) ?? signal(NONE)
    this.#of.set(key, known)
    return known
  }

  #change(key: string, takes: readonly Take[]): void {
    this.#changedAt.set(key, ++this.#clock)
    this.#set(key, takes)
  }

  /** An answer may not know what has changed here since it was asked. */
  #onAnswer(key: string, takes: readonly Take[], askedAt: number): void {
    if ((this.#askedAt.get(key) ?? 0) > askedAt) return
    this.#askedAt.set(key, askedAt)
    const isOld = (this.#changedAt.get(key) ?? 0) > askedAt
    this.#set(key, isOld ? withAnswer(this.of(key).peek(), takes) : takes)
  }

  #set(key: string, takes: readonly Take[]): void {
    for (const { jobId } of takes) this.#keys.set(jobId, key)
    this.of(key).value = takes
    this.changes.value += 1
  }

  /** Asks for the takes of some chapters; without an answer those that are known stay. */
  load(project: Project, chapters: readonly Chapter[] = project.chapters): void {
    const asked = chapters.map(({ key, paragraphs }) => ({ key, paragraphCount: paragraphs.length }))
    const askedAt = ++this.#clock
    loadTakes(this.#id, asked).then(
      (takes) => {
        batch(() => {
          for (const [key, list] of takes) this.#onAnswer(key, list, askedAt)
        })
      },
      () => {},
    )
  }

  /** Some takes are of a text or of settings that have changed. */
  onSaved(before: Project, after: Project): void {
    const isAll = before.settings !== after.settings || before.speakers !== after.speakers
    const known = new Set(before.chapters)
    this.load(after, isAll ? after.chapters : after.chapters.filter((chapter) => !known.has(chapter)))
  }

  /** The takes of all, now and whenever the service is back, and what changes in between. */
  follow(): () => void {
    let stop = (): void => {}
    const end = comebacks.subscribe(() => this.load(this.#project()))
    stop = follow(studioJobs, { filter: { types: ['VOICE'] } }, ({ jobChanges: { jobs, removedIds } }) => {
      batch(() => {
        for (const job of jobs) this.#note(job)
        for (const id of removedIds) this.#remove(id)
      })
    })
    return () => {
      end()
      stop()
    }
  }

  #note(news: Job): void {
    const { id, status, error, errorCode, ...job } = news
    const key = this.#keys.get(id)
    if (key === undefined) {
      this.#keepEarly(news)
      return
    }
    const [audioMs, voiceName] =
      job.__typename === 'VoiceJob' ? [job.audioMs ?? null, job.voiceName ?? null] : [null, null]
    const changed = { jobId: id, status, error: error ?? null, errorCode: errorCode ?? null, audioMs, voiceName }
    const before = this.of(key).peek()
    if (before.find(({ jobId }) => jobId === id)?.status === status) return
    this.#change(key, withJob(before, changed))
    if (status === 'COMPLETED' || status === 'FAILED') this.#noteEnd(id, status)
  }

  #keepEarly(job: Job): void {
    this.#early.set(job.id, job)
    for (const [oldest] of this.#early) if (this.#early.size > MAX_EARLY) this.#early.delete(oldest)
  }

  #noteEnd(id: string, status: string): void {
    if (!this.#awaited.delete(id)) return
    if (status === 'FAILED') this.#failed++
    if (this.#awaited.size > 0) return
    announce(this.#failed === 0 ? 'All is spoken.' : `${count(this.#failed)} could not be spoken.`)
    this.#failed = 0
  }

  #remove(id: string): void {
    const key = this.#keys.get(id)
    if (key === undefined) return
    this.#awaited.delete(id)
    this.#change(
      key,
      this.of(key)
        .peek()
        .filter(({ jobId }) => jobId !== id),
    )
  }

  /** Speaks paragraphs; the text has to be saved before. */
  async speak(keys: readonly string[]): Promise<Spoken> {
    const refused: Refused[] = []
    let begun = 0
    try {
      for (let from = 0; from < keys.length; from += MAX_AT_ONCE) {
        const paragraphs = keys.slice(from, from + MAX_AT_ONCE)
        const { speakParagraphs: answer } = await ask(speakParagraphs, {
          ...{ id: this.#id, paragraphs, idempotencyKey: randomKey() },
          // Somebody waits for a single one.
          priority: keys.length === 1 ? 'INTERACTIVE' : 'BATCH',
        })
        for (const { key, jobId, error } of answer.results) {
          if (error != null) refused.push({ key, message: error.message })
          if (jobId == null) continue
          begun++
          this.#begin(key, jobId)
        }
      }
      return { begun, refused, failure: null }
    } catch (error) {
      return { begun, refused, failure: asApiError(error) }
    }
  }

  #begin(key: string, jobId: string): void {
    this.#awaited.add(jobId)
    if (this.#keys.has(jobId)) return
    const take: Take = {
      ...{ jobId, status: 'QUEUED', error: null, errorCode: null, audioMs: null, voiceName: null },
      ...{ createdAt: new Date().toISOString(), isChosen: false, isCurrent: true },
    }
    this.#change(key, [take, ...this.of(key).peek()])
    const early = this.#early.get(jobId)
    if (early !== undefined) this.#note(early)
  }

  /** @throws ApiError */
  async choose(key: string, jobId: string): Promise<void> {
    await ask(chooseTake, { id: this.#id, paragraph: key, job: jobId })
    this.#change(
      key,
      this.of(key)
        .peek()
        .map((take) => ({ ...take, isChosen: take.jobId === jobId })),
    )
  }
}

const MAX_EARLY = 500
/** The service takes so many at a time. */
const MAX_AT_ONCE = 100

/** The URL of a take, signed at this moment. @throws ApiError */
export async function urlOf(jobId: string): Promise<string | null> {
  const { voiceJob } = await ask(heard, { jobId })
  return (voiceJob.wav ?? voiceJob.mp3 ?? null) as string | null
}

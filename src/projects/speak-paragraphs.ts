import { requireAccount, requireScope } from '../access/require.ts'
import { VOICE_SCOPE } from '../access/scopes.ts'
import { inParallel } from '../concurrency/in-parallel.ts'
import { invalidRequest, ServiceError } from '../errors/service-error.ts'
import { attempted } from '../jobs/each-id.ts'
import { type JobPriority, storedOptions } from '../jobs/job-shape.ts'
import { submitVoiceJob, type VoiceJobContext } from '../voice/submit-voice-job.ts'
import { findContent } from './change-project.ts'
import { visibleEndpoint } from './check-content.ts'
import { type Chapter, type Content, type Paragraph, settingsOf } from './content.ts'
import { fingerprintOf, isSpoken, loadTakes, MOST_TAKES, type Take } from './takes.ts'

const MAX_JOBS = 100
/** As many insertions share a commit. */
const AT_ONCE = 32
/** The paragraph's key is appended. */
const MAX_KEY_CHARACTERS = 190
const MAX_TAG_CHARACTERS = 64

const INSERT = `insert into project_take (project_id, paragraph, job_id, fingerprint)
  select id, $2, $3, $4 from project where id = $1 on conflict do nothing`
const FORGET = `delete from project_take t using (
    select paragraph, job_id, row_number() over (partition by paragraph order by job_id desc) as place
    from project_take where project_id = $1 and paragraph = any($2::text[])) old
  where t.project_id = $1 and t.paragraph = old.paragraph and t.job_id = old.job_id and old.place > ${MOST_TAKES} and t.chosen_at is null`

export interface SpeakInput {
  readonly id: string
  /** Keys; absent: all that have no take of what they are now. */
  readonly paragraphs?: readonly string[] | null | undefined
  readonly priority?: JobPriority | null | undefined
  readonly idempotencyKey?: string | null | undefined
}

export interface SpokenParagraph {
  readonly key: string
  readonly jobId: string | null
  readonly error: Pick<ServiceError, 'code' | 'message' | 'details'> | null
}

export interface SpokenParagraphs {
  readonly id: string
  readonly results: readonly SpokenParagraph[]
  /** Paragraphs without a take of what they are now. */
  readonly remaining: number
}

interface Place {
  readonly chapter: Chapter
  readonly paragraph: Paragraph
  readonly fingerprint: string
}

/**
 * Submits up to 100 paragraphs, each as `submitVoiceJob` does; each is refused alone.
 * @throws UNAUTHORIZED, FORBIDDEN, NOT_FOUND, INVALID_REQUEST
 */
export async function speakParagraphs(ctx: VoiceJobContext, input: SpeakInput): Promise<SpokenParagraphs> {
  requireScope(ctx, VOICE_SCOPE)
  const content = await findContent(ctx, input.id, requireAccount(ctx).accountId)
  const places = placesIn(content)
  const takes = await loadTakes(ctx.db.pool, input.id, [...places.keys()])
  const silent = [...places.values()].filter(
    ({ paragraph, fingerprint }) => !isSpoken(takes.get(paragraph.key), fingerprint),
  )
  const asked = input.paragraphs == null ? silent.slice(0, MAX_JOBS) : named(places, input.paragraphs)
  checkKey(input.idempotencyKey)
  const results = await inParallel(asked, AT_ONCE, (place) =>
    speak(ctx, content, place, { ...input, idempotencyKey: keyOf(input, place, takes.get(place.paragraph.key)) }),
  )
  const keys = asked.map(({ paragraph }) => paragraph.key)
  await ctx.db.pool.query(FORGET, [input.id, keys])
  const spoken = new Set(results.flatMap(({ key, jobId }) => (jobId === null ? [] : [key])))
  const remaining = silent.filter(({ paragraph }) => !spoken.has(paragraph.key)).length
  return { id: input.id, results, remaining }
}

function placesIn(content: Content): Map<string, Place> {
  const all = content.chapters.flatMap((chapter) =>
    chapter.paragraphs.map((paragraph) => ({
      ...{ chapter, paragraph },
      fingerprint: fingerprintOf(content, chapter, paragraph),
    })),
  )
  return new Map(all.map((place) => [place.paragraph.key, place]))
}

function named(places: ReadonlyMap<string, Place>, keys: readonly string[]): Place[] {
  const distinct = [...new Set(keys)]
  const refuse = (path: string, message: string) =>
    invalidRequest('Invalid arguments: see `details`.', [{ path, message }])
  if (keys.length === 0 || distinct.length > MAX_JOBS) throw refuse('/paragraphs', `must name 1 to ${MAX_JOBS}`)
  return distinct.map((key) => {
    const place = places.get(key)
    if (place === undefined) throw refuse(`/paragraphs/${keys.indexOf(key)}`, 'is no paragraph of the project')
    return place
  })
}

function checkKey(idempotencyKey: string | null | undefined): void {
  if (idempotencyKey == null || idempotencyKey.length <= MAX_KEY_CHARACTERS) return
  const message = `must have at most ${MAX_KEY_CHARACTERS} characters`
  throw invalidRequest('Invalid arguments: see `details`.', [{ path: '/idempotencyKey', message }])
}

/** Two callers who speak the rest at once see the same takes, so they make one job of each paragraph. */
function keyOf(
  { id, paragraphs, idempotencyKey }: SpeakInput,
  { paragraph, fingerprint }: Place,
  [newest]: readonly Take[] = [],
): string | null {
  if (idempotencyKey != null) return `${idempotencyKey} ${paragraph.key}`
  return paragraphs == null ? `${id} ${paragraph.key} ${fingerprint} ${newest?.jobId ?? 'first'}` : null
}

async function speak(
  ctx: VoiceJobContext,
  content: Content,
  place: Place,
  { id, idempotencyKey, priority }: SpeakInput,
): Promise<SpokenParagraph> {
  const { key } = place.paragraph
  const done = await attempted(ctx, async () => {
    const { jobId } = await submitVoiceJob(ctx, {
      ...jobOf(ctx, content, place),
      tags: tagsOf(content.name),
      options: storedOptions({ priority }),
      idempotencyKey: idempotencyKey ?? null,
    })
    await ctx.db.pool.query(INSERT, [id, key, jobId, place.fingerprint])
    return jobId
  })
  if (!(done instanceof ServiceError)) return { key, jobId: done, error: null }
  const { code, message, details } = done
  return { key, jobId: null, error: { code, message, details } }
}

/** @throws INVALID_REQUEST without an endpoint that the caller may use */
function jobOf(ctx: VoiceJobContext, content: Content, { chapter, paragraph }: Place) {
  const { endpoint: slug, voice, inputs } = settingsOf(content, chapter, paragraph)
  const endpoint = slug === undefined ? null : visibleEndpoint(ctx, slug)
  if (slug === undefined || endpoint === null) {
    const message = slug === undefined ? 'is required' : 'unknown endpoint'
    throw invalidRequest('Choose an endpoint for the paragraph.', [{ path: '/settings/endpoint', message }])
  }
  return { slug, inputs: { ...inputs, ...(voice && { [endpoint.voiceInput]: voice }), text: paragraph.text } }
}

/** The project's name, as far as a tag may have it. */
function tagsOf(name: string): string[] {
  const printable = name.replace(/\p{Cc}+/gu, ' ').trim()
  return [[...printable].slice(0, MAX_TAG_CHARACTERS).join('').trim()]
}

import { requireAccount } from '../access/require.ts'
import { inParallel } from '../concurrency/in-parallel.ts'
import { balanceTooLow, invalidRequest, ServiceError } from '../errors/service-error.ts'
import { idempotentRequest, recallJob, rememberJob } from '../idempotency/remember-response.ts'
import { attempted } from '../jobs/each-id.ts'
import { type JobPriority, storedOptions } from '../jobs/job-shape.ts'
import { submitVoiceJob, type VoiceJobContext, type VoiceJobInput } from '../voice/submit-voice-job.ts'
import { findContent, requireAuthor } from './change-project.ts'
import { visibleEndpoint } from './check-content.ts'
import { type Chapter, type Content, type Paragraph, settingsOf } from './content.ts'
import { fingerprintOf, isSpoken, loadTakes, overdueTakes, type Take, underwayOf } from './takes.ts'

const MAX_JOBS = 100
/** Refused paragraphs of an answer. */
const MAX_REFUSED = 100
/** As many insertions share a commit. */
const AT_ONCE = 32
/** The paragraph's key is appended. */
const MAX_KEY_CHARACTERS = 190
const MAX_TAG_CHARACTERS = 64

const INSERT = `insert into project_take (project_id, paragraph, job_id, fingerprint)
  select id, $2, $3, $4 from project where id = $1 on conflict do nothing`
const FORGET = `delete from project_take t using unnest($2::text[], $3::text[]) as gone (paragraph, job_id)
  where t.project_id = $1 and t.paragraph = gone.paragraph and t.job_id = gone.job_id and t.chosen_at is null`

/** Claims charge jobs, so those that wait count as spent. */
const BALANCE = `select (credits - held - (
    select coalesce(sum(cost), 0) from job where account_id = $1 and status = 'queued'
  ))::text as left from account where id = $1`

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
  /** Paragraphs that lack a take of what they are now and were not refused for what they are. */
  readonly remaining: number
}

interface Place {
  readonly chapter: Chapter
  readonly paragraph: Paragraph
  readonly fingerprint: string
}

interface Call {
  readonly ctx: VoiceJobContext
  readonly input: SpeakInput
  readonly content: Content
  readonly takes: ReadonlyMap<string, readonly Take[]>
  readonly spend: NonNullable<VoiceJobInput['spend']>
}

/**
 * Submits up to 100 paragraphs, each as `submitVoiceJob` does; each is refused alone.
 * @throws UNAUTHORIZED, FORBIDDEN, NOT_FOUND, INVALID_REQUEST
 */
export async function speakParagraphs(ctx: VoiceJobContext, input: SpeakInput): Promise<SpokenParagraphs> {
  const { accountId } = requireAuthor(ctx)
  const { id } = input
  const content = await findContent(ctx, id, accountId)
  const places = placesIn(content)
  const takes = await loadTakes(ctx.db.pool, id, [...places.keys()])
  const silent = [...places.values()].filter(
    ({ paragraph, fingerprint }) => !isSpoken(takes.get(paragraph.key), fingerprint),
  )
  const asked = input.paragraphs == null ? null : named(places, input.paragraphs)
  checkKey(input.idempotencyKey)
  const call = { ctx, input, content, takes, spend: await purseOf(ctx, accountId) }
  const results = asked === null ? await speakRest(call, silent) : await speakAll(call, asked)
  await forgetOverdue(
    ctx,
    id,
    results.flatMap(({ key, jobId }) => (jobId === null ? [] : [key])),
  )
  const done = new Set(results.filter((one) => one.jobId !== null || isLasting(one)).map(({ key }) => key))
  const remaining = silent.filter(({ paragraph }) => !done.has(paragraph.key)).length
  const shown = new Set(results.filter(({ error }) => error !== null).slice(0, MAX_REFUSED))
  return { id, results: results.filter((one) => one.error === null || shown.has(one)), remaining }
}

/** Refuses the last paragraphs, not any of them. The insertion of a job checks the balance again, because other calls spend it as well. */
async function purseOf(ctx: VoiceJobContext, accountId: string): Promise<Call['spend']> {
  const { rows } = await ctx.db.pool.query<{ left: string }>(BALANCE, [accountId])
  let left = BigInt(rows[0]!.left)
  return (cost) => {
    if (cost > 0n && cost > left) throw balanceTooLow()
    left -= cost
  }
}

/** Walks past refused paragraphs, so they keep nobody from hearing the others. */
async function speakRest(call: Call, silent: readonly Place[]): Promise<SpokenParagraph[]> {
  const results: SpokenParagraph[] = []
  let made = 0
  for (let from = 0; from < silent.length && made <= MAX_JOBS / 2; ) {
    const batch = silent.slice(from, from + MAX_JOBS - made)
    from += batch.length
    const spoken = await speakAll(call, batch)
    results.push(...spoken)
    made += spoken.filter(({ jobId }) => jobId !== null).length
    if (spoken.some((one) => one.error !== null && !isLasting(one))) break
  }
  return results
}

const speakAll = (call: Call, places: readonly Place[]): Promise<SpokenParagraph[]> =>
  inParallel(places, AT_ONCE, (place) => speak(call, place))

/** True if the same paragraph would be refused again. */
const isLasting = ({ error }: SpokenParagraph): boolean => error?.code === 'INVALID_REQUEST'

async function forgetOverdue({ db }: VoiceJobContext, id: string, keys: readonly string[]): Promise<void> {
  const overdue = [...(await loadTakes(db.pool, id, keys)).values()].flatMap((takes) => overdueTakes(takes))
  if (overdue.length === 0) return
  await db.pool.query(FORGET, [id, overdue.map(({ paragraph }) => paragraph), overdue.map(({ jobId }) => jobId)])
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

async function speak(call: Call, place: Place): Promise<SpokenParagraph> {
  const { key } = place.paragraph
  const done = await attempted(call.ctx, () => jobFor(call, place))
  if (!(done instanceof ServiceError)) return { key, jobId: done, error: null }
  const { code, message, details } = done
  return { key, jobId: null, error: { code, message, details } }
}

/** The job of the caller's key, else the one that speaks the paragraph already, else a new one. */
async function jobFor(call: Call, place: Place): Promise<string> {
  const { ctx, input, takes } = call
  const { paragraph, fingerprint } = place
  const own = idempotentRequest(
    requireAccount(ctx),
    input.idempotencyKey == null ? null : `${input.idempotencyKey} ${paragraph.key}`,
    ['speakParagraphs', input.id, fingerprint],
  )
  const known = own && (await recallJob(ctx, own))
  const jobId = known ?? underwayOf(takes.get(paragraph.key), fingerprint)?.jobId ?? (await submitNew(call, place))
  if (own !== null && known === null) await rememberJob(ctx.db.pool, own, jobId)
  await ctx.db.pool.query(INSERT, [input.id, paragraph.key, jobId, fingerprint])
  return jobId
}

/** Two callers at once see the same takes, so their keys are equal and they make one job. */
async function submitNew({ ctx, input, content, takes, spend }: Call, place: Place): Promise<string> {
  const { paragraph, fingerprint } = place
  const newest = takes.get(paragraph.key)?.[0]?.jobId ?? 'first'
  const { jobId } = await submitVoiceJob(ctx, {
    ...jobOf(ctx, content, place),
    tags: tagsOf(content.name),
    options: storedOptions({ priority: input.priority }),
    idempotencyKey: `${input.id} ${paragraph.key} ${fingerprint} ${newest}`,
    sent: [],
    spend,
  })
  return jobId
}

/** @throws INVALID_REQUEST without an endpoint that the caller may use */
function jobOf(ctx: VoiceJobContext, content: Content, { chapter, paragraph }: Place) {
  const { endpoint: slug, voice, inputs } = settingsOf(content, chapter, paragraph)
  const endpoint = slug === undefined ? null : visibleEndpoint(ctx, slug)
  if (slug === undefined || endpoint === null) {
    const message = slug === undefined ? 'is required' : 'unknown endpoint'
    throw invalidRequest('Choose an endpoint for the paragraph.', [{ path: '/settings/endpoint', message }])
  }
  const { voiceInput, voices } = endpoint
  const chosen = voice ?? inputs?.[voiceInput] ?? voices[0]?.slug
  return { slug, inputs: { ...inputs, ...(chosen !== undefined && { [voiceInput]: chosen }), text: paragraph.text } }
}

/** The project's name, as far as a tag may have it. */
function tagsOf(name: string): string[] {
  const printable = name.replace(/\p{Cc}+/gu, ' ').trim()
  return [[...printable].slice(0, MAX_TAG_CHARACTERS).join('').trim()]
}

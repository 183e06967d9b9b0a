import { type AccountHolder, type Actor, ownerOf } from '../access/actor.ts'
import { requireAccount, requireScope } from '../access/require.ts'
import { ACCOUNT_ADMIN_SCOPE, JOB_READ_SCOPE, VOICE_SCOPE } from '../access/scopes.ts'
import { recordChange } from '../audit/record-change.ts'
import type { Context } from '../context/context.ts'
import { inTransaction } from '../db/database.ts'
import { lockRowIn } from '../db/lock-row.ts'
import { invalidRequest } from '../errors/service-error.ts'
import { idTime, isId, newId } from '../values/id.ts'
import { checkContent } from './check-content.ts'
import {
  type Chapter,
  type Content,
  charactersOf,
  type Paragraph,
  paragraphsOf,
  type Settings,
  type Speaker,
} from './content.ts'
import { projectNotFound } from './projects.ts'

const MAX_PROJECTS = 200
const MAX_VERSIONS = 30
/** Saves of one person within this time are one version, and so are takeovers from one person. */
const VERSION_MS = 5 * 60_000

const CONTENT = 'name, settings, speakers, chapters'
const INSERT = `insert into project (id, account_id, ${CONTENT}, characters, paragraphs, created_at, updated_at, held_since, user_id, api_key_id)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9, $9, $10, $11)`
const FIND = `select ${CONTENT}, account_id as "accountId", revision, held_since as "heldSince", user_id as "userId", api_key_id as "apiKeyId"
  from project where id = $1 and ($2::text is null or account_id = $2)`
const FIND_VERSION = `select ${CONTENT} from project_version where project_id = $1 and revision = $2`
/** The second of two saves of one revision finds no row any more. */
const SAVE = `with old as (select * from project where id = $1 and account_id = $2 and revision = $3 for update),
  kept as (
    insert into project_version (project_id, revision, ${CONTENT}, characters, paragraphs, saved_at, user_id, api_key_id)
    select id, revision, ${CONTENT}, characters, paragraphs, updated_at, user_id, api_key_id from old where $13)
  update project p set name = $4, settings = $5, speakers = $6, chapters = $7, characters = $8, paragraphs = $9, updated_at = $10,
    held_since = case when $13 then $10 else p.held_since end, user_id = $11, api_key_id = $12, revision = p.revision + 1
  from old where p.id = old.id`
const DELETE = 'delete from project where id = $1 and account_id = $2 returning name'
const HAS_VERSION = `select 1 from project_version where project_id = $1 and saved_at > $2
  and user_id is not distinct from $3 and api_key_id is not distinct from $4 limit 1`
const FORGET_VERSIONS = `delete from project_version where project_id = $1 and revision <= (
  select revision from project_version where project_id = $1 order by revision desc offset ${MAX_VERSIONS} limit 1)`

export interface ContentInput {
  readonly settings?: SettingsInput | null | undefined
  readonly speakers?: readonly SpeakerInput[] | null | undefined
  readonly chapters?: readonly ChapterInput[] | null | undefined
}

type Given<Type> = { readonly [Name in keyof Type]?: Type[Name] | null | undefined }
type SettingsInput = Given<Omit<Settings, 'inputs'>> & { readonly inputs?: unknown }
type SpeakerInput = Omit<Speaker, 'settings'> & { readonly settings?: SettingsInput | null | undefined }
type ParagraphInput = Pick<Paragraph, 'key' | 'text'> & {
  readonly speaker?: string | null | undefined
  readonly settings?: SettingsInput | null | undefined
}
/** Absent fields stay as they are in the chapter of this key. */
interface ChapterInput {
  readonly key: string
  readonly title?: string | null | undefined
  readonly settings?: SettingsInput | null | undefined
  readonly paragraphs?: readonly ParagraphInput[] | null | undefined
}

interface Author {
  readonly userId: string | null
  readonly apiKeyId: string | null
}

interface Stored extends Content, Author {
  readonly accountId: string
  readonly revision: number
  readonly heldSince: Date
}

/** The caller edited another revision than the present one. */
export class ProjectConflict extends Error {
  override readonly name = 'ProjectConflict'
  readonly projectId: string
  readonly author: Author

  constructor(projectId: string, { userId, apiKeyId }: Author) {
    super('Somebody else has saved this project since you read it: nothing of yours was saved.')
    this.projectId = projectId
    this.author = { userId, apiKeyId }
  }
}

/** @throws UNAUTHORIZED, FORBIDDEN, INVALID_REQUEST */
export async function createProject(
  ctx: Context,
  { name, ...input }: ContentInput & { readonly name: string },
): Promise<{ readonly id: string }> {
  const { accountId } = requireAuthor(ctx)
  const content = changed({ name, settings: {}, speakers: [], chapters: [] }, { name, ...input })
  await checkContent(ctx, content, null)
  const id = newId('prj', ctx.now())
  const { userId, apiKeyId } = authorOf(ctx.actor)
  await inTransaction(ctx.db, async (tx) => {
    await lockRowIn(tx, 'account', accountId)
    const { rows } = await tx.query<{ count: number }>(
      'select count(*)::int as count from project where account_id = $1',
      [accountId],
    )
    if (rows[0]!.count >= MAX_PROJECTS)
      throw invalidRequest(`Delete a project first: an account has at most ${MAX_PROJECTS}.`)
    await tx.query(INSERT, [id, accountId, ...columnsOf(content), idTime(id), userId, apiKeyId])
  })
  return { id }
}

/**
 * Absent fields stay as they are, and so does what is absent of a chapter.
 * @throws UNAUTHORIZED, FORBIDDEN, NOT_FOUND, ProjectConflict, INVALID_REQUEST
 */
export async function saveProject(
  ctx: Context,
  {
    id,
    revision,
    ...input
  }: ContentInput & { readonly id: string; readonly revision: number; readonly name?: string | null | undefined },
): Promise<{ readonly id: string }> {
  const stored = await requireRevision(ctx, id, revision)
  const content = changed(stored, input)
  await checkContent(ctx, content, stored)
  return save(ctx, id, stored, content, await isApart(ctx, id, stored))
}

/**
 * Gives a project the content of one of its versions, as a new revision.
 * @throws UNAUTHORIZED, FORBIDDEN, NOT_FOUND, ProjectConflict
 */
export async function restoreProjectVersion(
  ctx: Context,
  { id, revision, version }: { readonly id: string; readonly revision: number; readonly version: number },
): Promise<{ readonly id: string }> {
  const stored = await requireRevision(ctx, id, revision)
  const { rows } = await ctx.db.pool.query<Content>(FIND_VERSION, [id, version])
  if (rows[0] === undefined)
    throw invalidRequest('Choose one of the versions of the project.', [{ path: '/version', message: 'is none' }])
  return save(ctx, id, stored, rows[0], true)
}

/** Its jobs stay. Any person of the account may delete, but a key only with account:admin. @throws UNAUTHORIZED, FORBIDDEN, NOT_FOUND */
export async function deleteProject(ctx: Context, { id }: { readonly id: string }): Promise<{ readonly id: string }> {
  if (ctx.actor.kind !== 'session') requireScope(ctx, ACCOUNT_ADMIN_SCOPE)
  const { accountId } = requireAccount(ctx)
  await inTransaction(ctx.db, async (tx) => {
    const { rows } = await tx.query<{ name: string }>(DELETE, [id, accountId])
    if (rows[0] === undefined) throw projectNotFound()
    const subject = { subjectId: id, subjectName: rows[0].name }
    await recordChange(tx, ctx.actor, { action: 'project_deleted', accountId, ...subject })
  })
  return { id }
}

/** An answer to a change holds the project, so it needs the scope of readers as well. @throws UNAUTHORIZED, FORBIDDEN */
export function requireAuthor(ctx: Context): AccountHolder {
  requireScope(ctx, VOICE_SCOPE)
  requireScope(ctx, JOB_READ_SCOPE)
  return requireAccount(ctx)
}

const authorOf = (actor: Actor): Author => ({
  userId: actor.kind === 'session' ? actor.userId : null,
  apiKeyId: actor.kind === 'key' ? actor.apiKeyId : null,
})

async function requireRevision(ctx: Context, id: string, revision: number): Promise<Stored> {
  const { accountId } = requireAuthor(ctx)
  const stored = await findContent(ctx, id, accountId)
  if (stored.revision !== revision) throw new ProjectConflict(id, stored)
  return stored
}

/** @param accountId null: any account @throws NOT_FOUND */
export async function findContent({ db }: Pick<Context, 'db'>, id: string, accountId: string | null): Promise<Stored> {
  const { rows } = isId('prj', id) ? await db.pool.query<Stored>(FIND, [id, accountId]) : { rows: [] }
  if (rows[0] === undefined) throw projectNotFound()
  return rows[0]
}

/** True if the present content becomes a version of its own: people who save in turn must not fill the list. */
async function isApart(ctx: Context, id: string, { heldSince, userId, apiKeyId }: Stored): Promise<boolean> {
  const since = new Date(ctx.now().getTime() - VERSION_MS)
  if (heldSince < since) return true
  const author = authorOf(ctx.actor)
  if (author.userId === userId && author.apiKeyId === apiKeyId) return false
  const { rows } = await ctx.db.pool.query(HAS_VERSION, [id, since, userId, apiKeyId])
  return rows.length === 0
}

async function save(
  ctx: Context,
  id: string,
  { revision }: Stored,
  content: Content,
  keeps: boolean,
): Promise<{ readonly id: string }> {
  const { userId, apiKeyId } = authorOf(ctx.actor)
  const accountId = ownerOf(ctx.actor)!
  const values = [id, accountId, revision, ...columnsOf(content), ctx.now(), userId, apiKeyId, keeps]
  const { rowCount } = await ctx.db.pool.query(SAVE, values)
  if (rowCount === 0) throw new ProjectConflict(id, await findContent(ctx, id, accountId))
  if (keeps) await ctx.db.pool.query(FORGET_VERSIONS, [id])
  return { id }
}

const columnsOf = ({ name, settings, speakers, chapters }: Content): unknown[] => [
  ...[name, JSON.stringify(settings), JSON.stringify(speakers), JSON.stringify(chapters)],
  ...[charactersOf(chapters), paragraphsOf(chapters)],
]

function changed(
  before: Content,
  { name, settings, speakers, chapters }: ContentInput & { readonly name?: string | null | undefined },
): Content {
  return {
    name: (name ?? before.name).normalize('NFC'),
    settings: settings === undefined ? before.settings : plain(settings ?? {}),
    speakers: speakers == null ? before.speakers : speakers.map((speaker) => withSettings(speaker)),
    chapters: chapters == null ? before.chapters : chapters.map((one, at) => chapterOf(before.chapters, one, at)),
  }
}

/** @throws INVALID_REQUEST without paragraphs for a chapter that the project does not have */
function chapterOf(
  before: readonly Chapter[],
  { key, title, settings, paragraphs }: ChapterInput,
  at: number,
): Chapter {
  const known = before.find((one) => one.key === key)
  if (known === undefined && paragraphs == null)
    throw invalidRequest('Invalid project: see `details`.', [
      { path: `/chapters/${at}/paragraphs`, message: 'is required: the project has no chapter of this key' },
    ])
  return withSettings({
    key,
    title: title ?? known?.title ?? '',
    settings: settings === undefined ? known?.settings : settings,
    paragraphs: paragraphs == null ? known!.paragraphs : paragraphs.map(paragraphOf),
  })
}

const paragraphOf = ({ key, text, speaker, settings }: ParagraphInput): Paragraph =>
  withSettings({ key, text, ...(speaker != null && { speaker }), settings })

/** Without `settings` if they say nothing. */
function withSettings<Type extends { readonly settings?: SettingsInput | null | undefined }>({
  settings,
  ...rest
}: Type): Omit<Type, 'settings'> & { readonly settings?: Settings } {
  const own = plain(settings ?? {})
  return { ...rest, ...(Object.keys(own).length > 0 && { settings: own }) }
}

/** `checkContent` refuses inputs of another form. */
const plain = ({ endpoint, voice, inputs, pauseMs }: SettingsInput): Settings =>
  Object.fromEntries(Object.entries({ endpoint, voice, inputs, pauseMs }).filter(([, value]) => value != null))

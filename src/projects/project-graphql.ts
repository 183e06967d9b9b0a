import { requireScope } from '../access/require.ts'
import { JOB_READ_SCOPE } from '../access/scopes.ts'
import { AccountRef, seesAccountOf } from '../accounts/account-graphql.ts'
import { keyNameLoader } from '../api-keys/api-keys.ts'
import { invalidRequest } from '../errors/service-error.ts'
import { builder, type GraphqlContext, result } from '../graphql/builder.ts'
import { addNodeSource, NodeInterface } from '../graphql/node.ts'
import {
  connectionOf,
  loadedBy,
  pagedBy,
  presentedBy,
  queriedBy,
  queryOf,
  resolvedBy,
  UNSEEN,
} from '../graphql/resolved-by.ts'
import { emailLoader } from '../users/users.ts'
import {
  type ContentInput,
  createProject,
  deleteProject,
  ProjectConflict,
  restoreProjectVersion,
  saveProject,
} from './change-project.ts'
import { MAX_CHAPTER_PARAGRAPHS, MAX_SPEAKERS } from './check-content.ts'
import { type Cast, type Chapter, charactersOf, type Paragraph, type Settings, type Speaker } from './content.ts'
import { loadProjects, PROJECT_VIEW, type Project, type ProjectsInput, project, projects } from './projects.ts'

const READS = 'Needs the scope job:read, or a signed-in user.'
export const CHANGES = 'Needs the scopes generate:voice and job:read, or a signed-in user.'
/** Chapters hold long texts, so an operation reads those of a few projects. */
const CHAPTERS_COST = 5000
const USUAL_CHAPTERS = 10
const USUAL_PARAGRAPHS = 50

export interface ChapterView {
  readonly of: Cast & { readonly id: string }
  readonly chapter: Chapter
}

interface ParagraphView extends ChapterView {
  readonly paragraph: Paragraph
}

const ABOUT = {
  endpoint: 'Slug of the voice endpoint. Null if it is inherited.',
  voice: 'Voice of the endpoint, or id of a voice of the library. Null if it is inherited.',
  inputs:
    'Other inputs of the endpoint by their names, such as `speed` or `style`. Inherited ones of other names hold as well.',
  pauseMs: 'Length of the silence after a paragraph in milliseconds, 0 to 60,000. Null if it is inherited.',
  key: 'Key that the program of the author has made: 1 to 64 letters, digits, or characters of `._:-`.',
  paragraphKey: 'It is unique in the project and stays with the paragraph, whose takes are found by it.',
  title: 'Title of the chapter, at most 200 characters; may be empty.',
  text: 'Text of the paragraph: 1 to 10,000 characters.',
  speaker: 'Name of one of the speakers. Null for the narrator.',
}

const SettingsRef = builder.objectRef<Settings>('SpeechSettings').implement({
  description:
    "Settings of speech. Each is a paragraph's own one, else its speaker's, else its chapter's, else the project's.",
  fields: (t) => ({
    endpoint: t.string({ nullable: true, description: ABOUT.endpoint, resolve: ({ endpoint }) => endpoint ?? null }),
    voice: t.string({ nullable: true, description: ABOUT.voice, resolve: ({ voice }) => voice ?? null }),
    inputs: t.field({
      type: 'JSON',
      nullable: true,
      description: `${ABOUT.inputs} Null if there are none.`,
      resolve: ({ inputs }) => inputs ?? null,
    }),
    pauseMs: t.int({ nullable: true, description: ABOUT.pauseMs, resolve: ({ pauseMs }) => pauseMs ?? null }),
  }),
})

const SettingsInputRef = builder.inputType('SpeechSettingsInput', {
  description: 'Settings of speech; absent ones are inherited.',
  fields: (t) => ({
    endpoint: t.string({ description: 'Slug of the voice endpoint.' }),
    voice: t.string({ description: 'Voice of the endpoint, or id of a voice of the library.' }),
    inputs: t.field({ type: 'JSON', description: ABOUT.inputs }),
    pauseMs: t.int({
      description:
        'Length of the silence after a paragraph in milliseconds, 0 to 60,000; 400 unless any settings say it, and 1,200 after a chapter.',
    }),
  }),
})

const SpeakerRef = builder.objectRef<Speaker>('ProjectSpeaker').implement({
  description: 'Speaker of a project.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Name of the speaker; no other one of the project has it.' }),
    settings: t.field({
      type: SettingsRef,
      description: 'Settings of the paragraphs of the speaker.',
      resolve: ({ settings }) => settings ?? {},
    }),
  }),
})

const SpeakerInputRef = builder.inputType('ProjectSpeakerInput', {
  description: 'Speaker of a project.',
  fields: (t) => ({
    name: t.string({
      required: true,
      description: 'Name that no other speaker of the project has: 1 to 100 characters.',
    }),
    settings: t.field({ type: SettingsInputRef, description: 'Settings of the paragraphs of the speaker.' }),
  }),
})

export const ParagraphRef = builder.objectRef<ParagraphView>('ProjectParagraph').implement({
  description: 'Paragraph of a project, which is spoken by itself.',
  fields: (t) => ({
    key: t.string({ description: `${ABOUT.key} ${ABOUT.paragraphKey}`, resolve: ({ paragraph }) => paragraph.key }),
    text: t.string({ description: ABOUT.text, resolve: ({ paragraph }) => paragraph.text }),
    speaker: t.string({
      nullable: true,
      description: ABOUT.speaker,
      resolve: ({ paragraph }) => paragraph.speaker ?? null,
    }),
    settings: t.field({
      type: SettingsRef,
      description: 'Settings of the paragraph itself.',
      resolve: ({ paragraph }) => paragraph.settings ?? {},
    }),
  }),
})

const ParagraphInputRef = builder.inputType('ProjectParagraphInput', {
  description: 'Paragraph of a project.',
  fields: (t) => ({
    key: t.string({ required: true, description: `${ABOUT.key} ${ABOUT.paragraphKey}` }),
    text: t.string({ required: true, description: ABOUT.text }),
    speaker: t.string({ description: 'Name of one of the speakers; the narrator unless given.' }),
    settings: t.field({ type: SettingsInputRef, description: 'Settings of the paragraph itself.' }),
  }),
})

const answered = new WeakMap<GraphqlContext, number>()

/** @throws INVALID_REQUEST beyond the paragraphs that an answer may hold */
function paragraphsIn({ of, chapter }: ChapterView, _args: object, ctx: GraphqlContext): ParagraphView[] {
  const total = (answered.get(ctx) ?? 0) + chapter.paragraphs.length
  answered.set(ctx, total)
  if (total > MAX_CHAPTER_PARAGRAPHS)
    throw invalidRequest(
      `Ask for fewer chapters at once, by \`keys\`: an answer has at most ${MAX_CHAPTER_PARAGRAPHS} paragraphs.`,
    )
  return chapter.paragraphs.map((paragraph) => ({ of, chapter, paragraph }))
}

export const ChapterRef = builder.objectRef<ChapterView>('ProjectChapter').implement({
  description: 'Chapter of a project.',
  fields: (t) => ({
    key: t.string({ description: `${ABOUT.key} It is unique in the project.`, resolve: ({ chapter }) => chapter.key }),
    title: t.string({ description: ABOUT.title, resolve: ({ chapter }) => chapter.title }),
    settings: t.field({
      type: SettingsRef,
      description: 'Settings of the paragraphs of the chapter.',
      resolve: ({ chapter }) => chapter.settings ?? {},
    }),
    characters: t.int({
      description: 'Number of characters of the paragraphs.',
      resolve: ({ chapter }) => charactersOf([chapter]),
    }),
    paragraphCount: t.int({
      description: 'Number of paragraphs.',
      resolve: ({ chapter }) => chapter.paragraphs.length,
    }),
    paragraphs: t.field({
      type: [ParagraphRef],
      nullable: true,
      description:
        'Paragraphs in their order; at most 2,000. Null, with an error, beyond 2,000 paragraphs of an answer: ask for fewer chapters at once.',
      extensions: { length: USUAL_PARAGRAPHS },
      resolve: paragraphsIn,
    }),
  }),
})

const ChapterInputRef = builder.inputType('ProjectChapterInput', {
  description: 'Chapter of a project. Absent fields stay as they are in the chapter of the key.',
  fields: (t) => ({
    key: t.string({ required: true, description: `${ABOUT.key} It is unique in the project.` }),
    title: t.string({ description: ABOUT.title }),
    settings: t.field({ type: SettingsInputRef, description: 'Settings of the paragraphs of the chapter.' }),
    paragraphs: t.field({
      type: [ParagraphInputRef],
      description: 'Paragraphs in their order, all of them; at most 2,000.',
    }),
  }),
})

interface Author {
  readonly userId: string | null
  readonly apiKeyId: string | null
}

async function nameOf({ userId, apiKeyId }: Author, _args: object, ctx: GraphqlContext): Promise<string | null> {
  if (apiKeyId !== null) return (await keyNameLoader.load(ctx, apiKeyId))?.name ?? null
  return userId === null ? null : ((await emailLoader.load(ctx, userId)) ?? null)
}

const SAVED_BY =
  'Name of the API key, also after it is deleted, or e-mail address of the user. Null if the user is gone, and if the command line saved.'

/** Arguments of fields with chapters. */
const CHAPTER_ARGS = builder.args((t) => ({
  keys: t.stringList({ description: 'Keys of the chapters to answer; all of them unless given.' }),
}))

type Stored = Readonly<Record<'settings' | 'speakers' | 'chapters', unknown>>
type ChapterArgs = { readonly keys?: readonly string[] | null | undefined }

function chaptersIn(id: string, stored: Stored, { keys: wanted }: ChapterArgs): ChapterView[] {
  const of = { id, settings: stored.settings as Settings, speakers: stored.speakers as Speaker[] }
  const chapters = stored.chapters as Chapter[]
  const chosen = wanted == null ? chapters : chapters.filter(({ key }) => wanted.includes(key))
  return chosen.map((chapter) => ({ of, chapter }))
}

const chaptersField = {
  type: [ChapterRef] as [typeof ChapterRef],
  description: 'Chapters in their order; at most 500.',
  args: CHAPTER_ARGS,
  extensions: {
    cost: CHAPTERS_COST,
    length: ({ keys: wanted }: { readonly keys?: unknown }) => (Array.isArray(wanted) ? wanted.length : USUAL_CHAPTERS),
  },
}

const VersionRef = builder.prismaObject('ProjectVersion', {
  description: 'Earlier content of a project.',
  select: { projectId: true, revision: true, userId: true, apiKeyId: true },
  fields: (t) => ({
    revision: t.exposeInt('revision', { description: 'Revision of the project that had this content.' }),
    name: t.exposeString('name', { description: 'Name of the project then.' }),
    savedAt: t.expose('savedAt', { type: 'DateTime', description: 'Time when the content was saved.' }),
    savedBy: t.string({ nullable: true, description: SAVED_BY, resolve: nameOf }),
    characters: t.exposeInt('characters', { description: 'Number of characters of the text.' }),
    chapters: t.field({
      ...chaptersField,
      select: { settings: true, speakers: true, chapters: true },
      resolve: (row, args) => chaptersIn(row.projectId, row, args),
    }),
  }),
})

export const ProjectRef = builder.prismaObject('Project', {
  description:
    'Long text of an account in chapters and paragraphs, each of which is spoken by itself: an audiobook, a dialogue, a course.',
  interfaces: [NodeInterface],
  select: PROJECT_VIEW,
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Id of the project.' }),
    name: t.exposeString('name', { description: 'Name of the project.' }),
    revision: t.exposeInt('revision', { description: 'Number of the last save; the first is 1.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Time when the project was created.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'Time when the project was last saved.' }),
    updatedBy: t.string({ nullable: true, description: SAVED_BY, resolve: nameOf }),
    characters: t.exposeInt('characters', { description: 'Number of characters of the text, at most 1,000,000.' }),
    paragraphCount: t.exposeInt('paragraphs', { description: 'Number of paragraphs, at most 5,000.' }),
    account: t.relation('account', {
      type: AccountRef,
      nullable: true,
      description: 'Account that has the project. Null if the caller may not read it.',
      seenBy: seesAccountOf,
    }),
  }),
})

builder.prismaObjectFields(ProjectRef, (t) => ({
  settings: t.field({
    type: SettingsRef,
    description: 'Settings of all paragraphs that have no nearer ones.',
    select: { settings: true },
    resolve: ({ settings }) => settings as Settings,
  }),
  speakers: t.field({
    type: [SpeakerRef],
    description: 'Speakers of dialogues; at most 100.',
    select: { speakers: true },
    extensions: { length: MAX_SPEAKERS / 10 },
    resolve: ({ speakers }) => speakers as Speaker[],
  }),
  chapters: t.field({
    ...chaptersField,
    select: { settings: true, speakers: true, chapters: true },
    resolve: (row, args) => chaptersIn(row.id, row, args),
  }),
  versions: t.relation('versions', {
    type: VersionRef,
    args: {
      revision: t.arg.int({ description: 'Revision of the one version to answer; all of them unless given.' }),
    },
    description:
      'Earlier contents, newest first; at most 30. Within five minutes each person leaves one version at most.',
    query: ({ revision }) => ({
      ...(revision != null && { where: { revision } }),
      orderBy: { revision: 'desc' as const },
    }),
    extensions: { length: ({ revision }: { readonly revision?: unknown }) => (revision == null ? 30 : 1) },
  }),
}))

addNodeSource<Project>('prj', {
  typeOf: () => 'Project',
  idOf: ({ id }) => id,
  load: async (ctx, ids, info) => {
    requireScope(ctx, JOB_READ_SCOPE)
    return [...(await loadProjects(ctx, ids, queryOf(ctx, info, 'Project'))).values()]
  },
})

builder.queryFields((t) => ({
  project: t.prismaField({
    nullable: true,
    description: `Project by its id; null if the account has none with it. ${READS}`,
    args: { id: t.arg.id({ required: true, description: 'Id of a project.' }) },
    ...queriedBy(ProjectRef, project, (args: { readonly id: string }) => args),
  }),
  projects: t.connection(
    {
      type: ProjectRef,
      description: `Projects of the caller's account, last changed first. ${READS}`,
      args: { search: t.arg.string({ description: 'Text that the name of the project contains, in any case.' }) },
      ...pagedBy('Project', projects, (args: ProjectsInput) => args),
    },
    ...connectionOf('Project', 'projects'),
  ),
}))

builder.objectType(ProjectConflict, {
  name: 'ProjectConflictError',
  description: 'Reason why a project was not saved: somebody else has saved it since the caller read it.',
  fields: (t) => ({
    message: t.string({ description: 'Sentence for a person.', resolve: ({ message }) => message }),
    savedBy: t.string({
      nullable: true,
      description: SAVED_BY,
      resolve: ({ author }, args, ctx) => nameOf(author, args, ctx),
    }),
    project: t.prismaField({
      description: `Project as it is now. ${UNSEEN}`,
      ...loadedBy(ProjectRef, loadProjects, ({ projectId }) => projectId),
    }),
  }),
})

const DeletionRef = builder.objectRef<{ readonly id: string }>('DeleteProjectSuccess').implement({
  description: 'Project that was deleted.',
  fields: (t) => ({ id: t.exposeID('id', { description: 'Id of the deleted project.' }) }),
})

const CONTENT_ARGS = builder.args((t) => ({
  settings: t.field({ type: SettingsInputRef, description: 'Settings of all paragraphs that have no nearer ones.' }),
  speakers: t.field({ type: [SpeakerInputRef], description: 'Speakers of dialogues, all of them; at most 100.' }),
  chapters: t.field({
    type: [ChapterInputRef],
    description:
      'Chapters in their order, all of them; at most 500 with 5,000 paragraphs and 1,000,000 characters together.',
  }),
}))

const REVISION = 'Revision that the caller has read and changed.'
const conflicting = (success: string) => ({ types: [ProjectConflict], ...result(success, 'nothing was saved') })
export const shownProject = async (
  ctx: GraphqlContext,
  { id }: { readonly id: string },
  query: object,
): Promise<Project> => (await loadProjects(ctx, [id], query)).get(id)!

builder.mutationFields((t) => ({
  createProject: t.prismaField({
    errors: result('New project', 'none was created'),
    description: `Creates a project; an account has at most 200. ${CHANGES}`,
    args: {
      name: t.arg.string({ required: true, description: 'Name of the project: 1 to 200 characters.' }),
      ...CONTENT_ARGS,
    },
    ...presentedBy(ProjectRef, createProject, (args: ContentInput & { readonly name: string }) => args, shownProject),
  }),
  saveProject: t.prismaField({
    errors: conflicting('Saved project'),
    description: `Saves a project, unless somebody else has saved it since; absent arguments stay as they are. ${CHANGES}`,
    args: {
      id: t.arg.id({ required: true, description: 'Id of a project.' }),
      revision: t.arg.int({ required: true, description: REVISION }),
      name: t.arg.string({ description: 'Name of the project: 1 to 200 characters.' }),
      ...CONTENT_ARGS,
    },
    ...presentedBy(
      ProjectRef,
      saveProject,
      (args: ContentInput & { readonly id: string; readonly revision: number; readonly name?: string | null }) => args,
      shownProject,
    ),
  }),
}))

builder.mutationFields((t) => ({
  restoreProjectVersion: t.prismaField({
    errors: conflicting('Project with the content of the version'),
    description: `Gives a project the content of one of its versions, as a new revision. ${CHANGES}`,
    args: {
      id: t.arg.id({ required: true, description: 'Id of a project.' }),
      revision: t.arg.int({ required: true, description: REVISION }),
      version: t.arg.int({ required: true, description: 'Revision of the version.' }),
    },
    ...presentedBy(
      ProjectRef,
      restoreProjectVersion,
      (args: { readonly id: string; readonly revision: number; readonly version: number }) => args,
      shownProject,
    ),
  }),
  deleteProject: t.field({
    type: DeletionRef,
    errors: result('Deleted project', 'nothing was deleted'),
    description: `Deletes a project with its versions; its jobs stay. Needs the scope account:admin, or a signed-in user.`,
    args: { id: t.arg.id({ required: true, description: 'Id of a project.' }) },
    ...resolvedBy(deleteProject, (args: { readonly id: string }) => args),
  }),
}))

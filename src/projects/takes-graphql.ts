import { BatchLoader } from '../concurrency/batch-loader.ts'
import { builder, type GraphqlContext, result } from '../graphql/builder.ts'
import { BulkErrorRef } from '../graphql/request-error.ts'
import { loadedBy, presentedBy, resolvedBy, UNSEEN } from '../graphql/resolved-by.ts'
import { toJob } from '../jobs/graphql/job-graphql.ts'
import { JOB_REFS } from '../jobs/graphql/job-types-graphql.ts'
import { JobPriorityEnum } from '../jobs/graphql/submit-options-graphql.ts'
import { chooseTake } from './choose-take.ts'
import { CHANGES, ChapterRef, type ChapterView, ParagraphRef, ProjectRef, shownProject } from './project-graphql.ts'
import { loadShares, type ProjectShare, spokenOf } from './project-shares.ts'
import { loadProjects } from './projects.ts'
import { type SpeakInput, type SpokenParagraph, type SpokenParagraphs, speakParagraphs } from './speak-paragraphs.ts'
import { chosenOf, fingerprintOf, loadTakes, MOST_TAKES, type Take } from './takes.ts'

/** A paragraph has one or two takes as a rule. */
const USUAL_TAKES = 2
const COUNT_COST = 100
/** A page has up to 100 projects. */
const SHARE_COST = 150
/** A bound for the whole answer; beyond it each paragraph has its newest and its chosen take. */
const MAX_ANSWERED = 4000

interface TakeView {
  readonly take: Take
  readonly isChosen: boolean
  readonly isCurrent: boolean
}

const separator = '/'
/** By the ids of projects and the keys of paragraphs. */
const takes = new BatchLoader<GraphqlContext, Take[]>(async ({ db }, places) => {
  const byProject = Map.groupBy(
    places.map((place) => place.split(separator) as [string, string]),
    ([id]) => id,
  )
  const found = new Map<string, Take[]>()
  for (const [id, own] of byProject) {
    const keys = own.map(([, key]) => key)
    for (const [key, list] of await loadTakes(db.pool, id, keys)) found.set(id + separator + key, list)
  }
  return found
})

const takesOf = async (ctx: GraphqlContext, projectId: string, key: string): Promise<readonly Take[]> =>
  (await takes.load(ctx, projectId + separator + key)) ?? []

/** Paragraphs of which the take that plays says what they are now. */
async function spokenIn({ of, chapter }: ChapterView, _args: object, ctx: GraphqlContext): Promise<number> {
  const known = chapter.paragraphs.map(async ({ key }) => [key, await takesOf(ctx, of.id, key)] as const)
  return spokenOf(of, chapter, new Map(await Promise.all(known)))
}

builder.objectField(ChapterRef, 'spokenCount', (t) =>
  t.int({
    description: 'Number of paragraphs whose chosen take is current.',
    extensions: { cost: COUNT_COST },
    resolve: spokenIn,
  }),
)

const shares = new BatchLoader<GraphqlContext, ProjectShare>(({ db }, ids) => loadShares(db.pool, ids))

builder.prismaObjectFields(ProjectRef, (t) => ({
  chapterCount: t.int({
    description: 'Number of chapters.',
    resolve: async ({ id }, _args, ctx) => (await shares.load(ctx, id))?.chapterCount ?? 0,
  }),
  spokenCount: t.int({
    description: 'Number of paragraphs whose chosen take is current.',
    extensions: { cost: SHARE_COST },
    resolve: async ({ id }, _args, ctx) => (await shares.load(ctx, id))?.spokenCount ?? 0,
  }),
}))

const TakeRef = builder.objectRef<TakeView>('ProjectTake').implement({
  description: 'Take of a paragraph: a job that speaks it.',
  fields: (t) => ({
    jobId: t.id({ description: 'Id of the job.', resolve: ({ take }) => take.jobId }),
    job: t.field({
      ...toJob(({ take }: TakeView) => take.jobId, 'Job that speaks the paragraph.', UNSEEN),
      type: JOB_REFS.voice,
    }),
    isChosen: t.boolean({
      description:
        'True for the take that plays and is exported: of those with audio the one that was spoken, or chosen by `chooseTake`, last.',
      resolve: ({ isChosen }) => isChosen,
    }),
    isCurrent: t.boolean({
      description: 'True if the take says the text, and has the settings, that the paragraph has now.',
      resolve: ({ isCurrent }) => isCurrent,
    }),
  }),
})

const answered = new WeakMap<GraphqlContext, number>()

/** Each take may bring its whole job, and making an answer holds up everybody else's. */
function shownOf(ctx: GraphqlContext, all: readonly Take[], chosen: Take | null): readonly Take[] {
  const before = answered.get(ctx) ?? 0
  const most = before + Math.min(all.length, MOST_TAKES) > MAX_ANSWERED ? 1 : MOST_TAKES
  const shown = all.filter((take, at) => at < most || take === chosen)
  answered.set(ctx, before + shown.length)
  return shown
}

builder.objectField(ParagraphRef, 'takes', (t) =>
  t.field({
    type: [TakeRef],
    description:
      'Takes of the paragraph, newest first; at most 20, and the chosen one. Beyond 4,000 takes of an answer only the newest and the chosen one.',
    extensions: { length: USUAL_TAKES },
    resolve: async ({ of, chapter, paragraph }, _args, ctx) => {
      const all = await takesOf(ctx, of.id, paragraph.key)
      const [chosen, current] = [chosenOf(all), fingerprintOf(of, chapter, paragraph)]
      return shownOf(ctx, all, chosen).map((take) => ({
        ...{ take, isChosen: take === chosen, isCurrent: take.fingerprint === current },
      }))
    },
  }),
)

const SpokenRef = builder.objectRef<SpokenParagraph>('SpokenParagraph').implement({
  description: 'Paragraph that was submitted, or refused.',
  fields: (t) => ({
    key: t.exposeString('key', { description: 'Key of the paragraph.' }),
    jobId: t.exposeID('jobId', { nullable: true, description: 'Id of the job. Null if none was made.' }),
    job: t.field({
      ...toJob(({ jobId }: SpokenParagraph) => jobId, 'Job that speaks the paragraph.'),
      type: JOB_REFS.voice,
    }),
    error: t.expose('error', {
      type: BulkErrorRef,
      nullable: true,
      description: 'Reason why no job was made. Null if one was.',
    }),
  }),
})

const SpeakRef = builder.objectRef<SpokenParagraphs>('SpeakParagraphsSuccess').implement({
  description: 'Paragraphs that were submitted, and those that were refused.',
  fields: (t) => ({
    results: t.field({
      type: [SpokenRef],
      description:
        'Result of each paragraph in their order: at most 100 that were submitted, and the first 100 that were refused.',
      extensions: { length: 200 },
      resolve: ({ results }) => [...results],
    }),
    remaining: t.exposeInt('remaining', {
      description:
        'Number of paragraphs without a take that is current, except those refused with INVALID_REQUEST: call again for them.',
    }),
    project: t.prismaField({
      description: `Project with its takes. ${UNSEEN}`,
      ...loadedBy(ProjectRef, loadProjects, ({ id }) => id),
    }),
  }),
})

builder.mutationFields((t) => ({
  speakParagraphs: t.field({
    type: SpeakRef,
    errors: result('Submitted paragraphs', 'no job was made'),
    description: `Submits paragraphs for speech synthesis, each as a job with the name of the project as its tag; one that is refused leaves the others. ${CHANGES}`,
    args: {
      id: t.arg.id({ required: true, description: 'Id of a project.' }),
      paragraphs: t.arg.stringList({
        description:
          'Keys of 1 to 100 paragraphs. Unless given, the first 100 that have no current take and can be spoken.',
      }),
      priority: t.arg({ type: JobPriorityEnum, description: 'Urgency of the jobs; BATCH unless given.' }),
      idempotencyKey: t.arg.string({
        description:
          'Key of your own choice, at most 190 characters: for 24 hours the same key speaks a paragraph once. Without it, too, a paragraph that is being spoken as it is now makes no second job.',
      }),
    },
    ...resolvedBy(speakParagraphs, (args: SpeakInput) => args),
  }),
  chooseTake: t.prismaField({
    errors: result('Project', 'the choice stays as it is'),
    description: `Lets a take of a paragraph that has audio play and be exported, until a newer one is completed. ${CHANGES}`,
    args: {
      id: t.arg.id({ required: true, description: 'Id of a project.' }),
      paragraph: t.arg.string({ required: true, description: 'Key of a paragraph.' }),
      job: t.arg.id({ required: true, description: 'Id of the job of the take.' }),
    },
    ...presentedBy(
      ProjectRef,
      chooseTake,
      (args: { readonly id: string; readonly paragraph: string; readonly job: string }) => args,
      shownProject,
    ),
  }),
}))

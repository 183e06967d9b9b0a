import type { AnyFormat, CaptionFormat } from '../../audio/format.ts'
import { BatchLoader } from '../../concurrency/batch-loader.ts'
import { builder, type GraphqlContext, result } from '../../graphql/builder.ts'
import { resolvedBy } from '../../graphql/resolved-by.ts'
import { describedEnum } from '../../graphql/scalars.ts'
import { type SpeechTimes, type TimedText, timesOf, writeCaptions } from '../../voice/captions/voice-job-captions.ts'
import { type Chapter, chaptersOf } from '../../voice/chapters.ts'
import { submitVoiceJob, type VoiceJobInput } from '../../voice/submit-voice-job.ts'
import {
  loadLibraryNames,
  loadOlderVoices,
  loadSubmittedTexts,
  type SubmittedText,
} from '../../voice/submitted-texts.ts'
import { loadTimedJobs, type TimedJob } from '../../voice/timing/job-timing.ts'
import type { TimeSource } from '../../voice/timing/speech-timing.ts'
import { voiceJob } from '../job.ts'
import { type Job, storedOptions } from '../job-shape.ts'
import { cancelJob } from '../lifecycle/cancel-job.ts'
import type { Submission } from '../lifecycle/queue-job.ts'
import {
  AudioFormatEnum,
  isOfCaller,
  storedOutputsOf,
  submittedJob,
  submittedStatus,
  TYPE_NAMES,
} from './job-graphql.ts'
import { type JobIdArgs, jobIdArgs, toJobId } from './job-id-graphql.ts'
import { JOB_REFS } from './job-types-graphql.ts'
import { type SubmitOptions, SubmitOptionsInput } from './submit-options-graphql.ts'

/** Query cost of a long text: a query may ask for it of few jobs only. */
const SPEECH_LENGTH = { words: 2000, sentences: 200 } as const
const CAPTIONS_COST = 2000
/** PostgreSQL unpacks the whole text. */
const TEXT_COST = 5
const SPOKEN =
  'Null unless the job is completed, and its audio and its text still exist; null for callers of other accounts.'

const timedJobs = new BatchLoader<GraphqlContext, TimedJob>((ctx, jobIds) => loadTimedJobs(ctx.db.pool, jobIds))

export const CaptionFormatEnum = describedEnum<CaptionFormat>('CaptionFormat', 'Format of captions.', {
  vtt: 'WebVTT file.',
  srt: 'SubRip file.',
  json: 'JSON of the words and sentences with their times, as REST returns it.',
})

const TimeSourceEnum = describedEnum<TimeSource>('TimeSource', 'Source of the times of words in speech.', {
  engine: "The synthesiser's own clock; the times are within 50 ms.",
  aligned: 'Pauses in the audio.',
  estimated: 'An estimate by the number of letters; words are in order and within their sentence.',
})

const TimedTextRef = builder.objectRef<TimedText>('TimedText').implement({
  description: 'Word or sentence with the time when it is heard.',
  fields: (t) => ({
    text: t.exposeString('text', { description: 'Text as it was submitted.' }),
    start: t.exposeFloat('start', { description: 'Seconds from the beginning of the audio to its start.' }),
    end: t.exposeFloat('end', { description: 'Seconds from the beginning of the audio to its end.' }),
    offset: t.exposeInt('offset', {
      description: 'Position in the submitted text where this part begins, in Unicode code points.',
    }),
    length: t.exposeInt('length', { description: 'Length in the submitted text, in Unicode code points.' }),
    source: t.field({ type: TimeSourceEnum, description: 'Source of the times.', resolve: ({ source }) => source }),
  }),
})

const ChapterRef = builder.objectRef<Chapter>('SpeechChapter').implement({
  description: 'Chapter of a spoken text.',
  fields: (t) => ({
    title: t.exposeString('title', {
      description: 'Heading, or the beginning of the text: at most 80 characters.',
    }),
    start: t.float({
      description: 'Seconds from the beginning of the audio to its start.',
      resolve: ({ fromMs }) => fromMs / 1000,
    }),
    end: t.float({
      description: 'Seconds from the beginning of the audio to its end.',
      resolve: ({ toMs }) => toMs / 1000,
    }),
    offset: t.exposeInt('offset', {
      description: 'Position in the submitted text where it begins, in Unicode code points.',
    }),
  }),
})

/** Null unless the job is the caller's, completed, and its audio exists. */
async function timedJobOf(ctx: GraphqlContext, job: Job): Promise<TimedJob | null> {
  if (job.status !== 'completed' || !isOfCaller(ctx, job)) return null
  const speech = (await storedOutputsOf(ctx, job))?.find(({ output }) => output === 'audio')
  return speech === undefined || speech.deletedAt != null ? null : ((await timedJobs.load(ctx, job.id)) ?? null)
}

async function speechTimesOf(ctx: GraphqlContext, job: Job): Promise<SpeechTimes | null> {
  const timed = await timedJobOf(ctx, job)
  return timed === null ? null : timesOf(timed.text, timed.timing)
}

const texts = new BatchLoader<GraphqlContext, SubmittedText>((ctx, jobIds) => loadSubmittedTexts(ctx.db.pool, jobIds))
const libraryNames = new BatchLoader<GraphqlContext, string>((ctx, ids) => loadLibraryNames(ctx.db, ids))
const olderVoices = new BatchLoader<GraphqlContext, string>((ctx, jobIds) => loadOlderVoices(ctx.db.pool, jobIds))

builder.objectFields(JOB_REFS.voice, (t) => ({
  voice: t.string({
    nullable: true,
    description:
      "Voice that was asked for: a voice of the endpoint, or the id of one of the account's library. Null for an older job whose endpoint was deleted.",
    resolve: async ({ id, voice }, _args, ctx) => voice ?? (await olderVoices.load(ctx, id)) ?? null,
  }),
  voiceName: t.string({
    nullable: true,
    description: 'Name of the voice, as people read it; null if the voice or its endpoint was deleted.',
    resolve: async ({ id, endpointKey, voice }, _args, ctx) => {
      const slug = voice ?? (await olderVoices.load(ctx, id))
      if (slug === undefined) return null
      const endpoint = ctx.catalog.current.endpoints.get(endpointKey.slice(endpointKey.indexOf('.') + 1))
      const preset = endpoint?.voices.find((one) => one.slug === slug)
      return preset?.name ?? (await libraryNames.load(ctx, slug)) ?? null
    },
  }),
  characters: t.int({
    nullable: true,
    description: 'Number of Unicode code points of the text as it was submitted, markup included.',
    extensions: { cost: TEXT_COST },
    resolve: async ({ id }, _args, ctx) => (await texts.load(ctx, id))?.characters ?? null,
  }),
  textExcerpt: t.string({
    nullable: true,
    description:
      'Beginning of the text without markup: at most 120 Unicode code points, cut between two words. Null if the text was not kept: see `service`, and for callers of other accounts.',
    extensions: { cost: TEXT_COST },
    resolve: async (job, _args, ctx) =>
      isOfCaller(ctx, job) ? ((await texts.load(ctx, job.id))?.excerpt ?? null) : null,
  }),
}))

builder.objectFields(JOB_REFS.voice, (t) => ({
  captions: t.string({
    nullable: true,
    description: `Captions of the audio. ${SPOKEN}`,
    args: { format: t.arg({ type: CaptionFormatEnum, description: 'Format of the captions; WebVTT unless given.' }) },
    extensions: { cost: CAPTIONS_COST },
    resolve: async (job, { format }, ctx) => {
      const timed = await timedJobOf(ctx, job)
      return timed === null ? null : writeCaptions(timed, format ?? 'vtt')
    },
  }),
  timing: t.field({
    type: TimeSourceEnum,
    nullable: true,
    description: `Source of the times of the words; the least exact one if they differ. ${SPOKEN}`,
    resolve: async (job, _args, ctx) => (await speechTimesOf(ctx, job))?.timing ?? null,
  }),
  words: t.field({
    type: [TimedTextRef],
    nullable: true,
    description: `Words with the times when they are heard. ${SPOKEN}`,
    extensions: { length: SPEECH_LENGTH.words },
    resolve: async (job, _args, ctx) => (await speechTimesOf(ctx, job))?.words ?? null,
  }),
  sentences: t.field({
    type: [TimedTextRef],
    nullable: true,
    description: `Sentences with the times when they are heard. ${SPOKEN}`,
    extensions: { length: SPEECH_LENGTH.sentences },
    resolve: async (job, _args, ctx) => (await speechTimesOf(ctx, job))?.sentences ?? null,
  }),
}))

builder.objectField(JOB_REFS.voice, 'chapters', (t) =>
  t.field({
    type: [ChapterRef],
    nullable: true,
    description: `Chapters of the audio, as \`m4b\` files have them: headings of Markdown, marks of SSML; in other texts, single lines between blank lines that end like no sentence, and what stands behind two blank lines. Empty if there are none. ${SPOKEN}`,
    extensions: { cost: CAPTIONS_COST, length: SPEECH_LENGTH.sentences },
    resolve: async (job, _args, ctx) => {
      const timed = await timedJobOf(ctx, job)
      return timed === null ? null : chaptersOf(timed)
    },
  }),
)

export const SubmissionRef = builder.objectRef<Submission>('VoiceJobSubmission').implement({
  description: 'Accepted submission of a text.',
  fields: (t) => ({
    jobId: t.exposeID('jobId', { description: 'Id of the job.' }),
    status: t.field(submittedStatus),
    replayed: t.exposeBoolean('replayed', {
      description: 'True if the idempotency key was used before: the job is the one of that earlier request.',
    }),
    job: t.field({
      type: JOB_REFS.voice,
      nullable: true,
      description: 'Job as it is now; null if it is that of an earlier request and was deleted since.',
      resolve: (submission, _args, ctx) => submittedJob(ctx, submission),
    }),
  }),
})

builder.queryField('voiceJob', (t) =>
  t.field({
    type: JOB_REFS.voice,
    description: "Voice job of the caller's account.",
    args: jobIdArgs('Id of a job.'),
    ...resolvedBy(voiceJob, (args: JobIdArgs) => toJobId(args)),
  }),
)

type SubmissionArgs = Omit<VoiceJobInput, 'inputs' | 'options'> & {
  readonly inputs?: unknown
  readonly audioFormat?: AnyFormat | null
  readonly captions?: readonly CaptionFormat[] | null
  readonly live?: boolean | null
  readonly options?: SubmitOptions | null
}

const toVoiceJobInput = ({ audioFormat, captions, live, options, ...args }: SubmissionArgs): VoiceJobInput => ({
  inputs: undefined,
  ...args,
  tags: options?.tags,
  options: storedOptions({
    format: audioFormat,
    captions,
    live: live === true ? live : undefined,
    priority: options?.priority,
  }),
})

builder.mutationField('submitVoiceJob', (t) =>
  t.field({
    type: SubmissionRef,
    errors: result('Accepted submission', 'no job was made'),
    description: 'Submits a text for speech synthesis.',
    args: {
      slug: t.arg.string({ required: true, description: 'Slug of the voice endpoint.' }),
      inputs: t.arg({
        type: 'JSON',
        required: true,
        description: "Inputs by their names, as the endpoint's `schema` describes them, such as `text` and `voice`.",
      }),
      webhookUrl: t.arg({
        type: 'URL',
        description: "URL that is notified when the job ends, instead of the account's webhook.",
      }),
      idempotencyKey: t.arg.string({
        description: 'Key of your own choice: for 24 hours the same key with the same request returns the same job.',
      }),
      audioFormat: t.arg({
        type: AudioFormatEnum,
        description: "Format in which the audio is stored, instead of the endpoint's own.",
      }),
      captions: t.arg({
        type: [CaptionFormatEnum],
        description: "Formats of the captions among the outputs, instead of the endpoint's own.",
      }),
      live: t.arg.boolean({
        description:
          'True if `liveUrl` is going to be played while the speech is made: its first chunk is then a short one.',
      }),
      options: t.arg({ type: SubmitOptionsInput, description: 'Options that the job keeps.' }),
    },
    ...resolvedBy(submitVoiceJob, toVoiceJobInput),
  }),
)

builder.mutationField('cancelJob', (t) =>
  t.errorUnionField({
    types: [JOB_REFS.voice, JOB_REFS.generate],
    union: {
      ...result('Cancelled job', 'nothing was cancelled').union,
      resolveType: ({ type }: Job) => TYPE_NAMES[type],
    },
    description:
      'Cancels an unfinished job: it fails as JOB_CANCELLED, its charge is given back and its engine stops. A finished job stays as it is.',
    args: jobIdArgs('Id of a job.'),
    ...resolvedBy(cancelJob, (args: JobIdArgs) => toJobId(args)),
  }),
)

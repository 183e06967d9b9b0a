import type { CaptionFormat } from '../../audio/caption-format.ts'
import { BatchLoader } from '../../concurrency/batch-loader.ts'
import { builder, type GraphqlContext } from '../../graphql/builder.ts'
import { describedEnum } from '../../graphql/described-enum.ts'
import { type SpeechTimes, type TimedText, timesOf } from '../../voice/captions/timed-text.ts'
import { writeCaptions } from '../../voice/captions/voice-job-captions.ts'
import { loadTimedJobs, type TimedJob } from '../../voice/timing/job-timing.ts'
import type { TimeSource } from '../../voice/timing/speech-timing.ts'
import type { Job } from '../job-shape.ts'
import { storedOutputsOf } from './job-result-graphql.ts'
import { VoiceJobRef } from './job-types-graphql.ts'

/** Query cost of a long text: a query may ask for it of few jobs only. */
const SPEECH_LENGTH = { words: 2000, sentences: 200 } as const
const CAPTIONS_COST = 2000
const SPOKEN = 'Completed jobs only, as long as their audio is there.'

const timedJobs = new BatchLoader<GraphqlContext, TimedJob>((ctx, jobIds) => loadTimedJobs(ctx.db.pool, jobIds))

export const CaptionFormatEnum = describedEnum<CaptionFormat>('CaptionFormat', 'A format of captions.', {
  vtt: 'WebVTT.',
  srt: 'SubRip.',
  json: 'The words and sentences with their times, as REST has them.',
})

const TimeSourceEnum = describedEnum<TimeSource>('TimeSource', 'How times in speech are known.', {
  engine: "By the synthesiser's own clock, within 50 ms.",
  aligned: 'By pauses in the audio.',
  estimated: 'By how long letters take: in order, within their sentence.',
})

const TimedTextRef = builder.objectRef<TimedText>('TimedText').implement({
  description: 'A word or a sentence, and when it is heard.',
  fields: (t) => ({
    text: t.exposeString('text', { description: 'As it was submitted.' }),
    start: t.exposeFloat('start', { description: 'In seconds of the audio.' }),
    end: t.exposeFloat('end', { description: 'In seconds of the audio.' }),
    offset: t.exposeInt('offset', { description: 'Where it begins in the submitted text, in Unicode code points.' }),
    length: t.exposeInt('length', { description: 'Its length there, in Unicode code points.' }),
    source: t.field({ type: TimeSourceEnum, description: 'How that is known.', resolve: ({ source }) => source }),
  }),
})

/** Null unless the job is completed and its audio exists. */
async function timedJobOf(ctx: GraphqlContext, job: Job): Promise<TimedJob | null> {
  if (job.status !== 'completed') return null
  const speech = (await storedOutputsOf(ctx, job))?.find(({ output }) => output === 'audio')
  return speech === undefined || speech.deletedAt != null ? null : ((await timedJobs.load(ctx, job.id)) ?? null)
}

async function speechTimesOf(ctx: GraphqlContext, job: Job): Promise<SpeechTimes | null> {
  const timed = await timedJobOf(ctx, job)
  return timed === null ? null : timesOf(timed.text, timed.timing)
}

builder.objectFields(VoiceJobRef, (t) => ({
  captions: t.string({
    nullable: true,
    description: `Its captions. ${SPOKEN}`,
    args: { format: t.arg({ type: CaptionFormatEnum, description: 'WebVTT unless given.' }) },
    extensions: { cost: CAPTIONS_COST },
    resolve: async (job, { format }, ctx) => {
      const timed = await timedJobOf(ctx, job)
      return timed === null ? null : writeCaptions(timed, format ?? 'vtt')
    },
  }),
  timing: t.field({
    type: TimeSourceEnum,
    nullable: true,
    description: `How the times of its words are known: the worst of them. ${SPOKEN}`,
    resolve: async (job, _args, ctx) => (await speechTimesOf(ctx, job))?.timing ?? null,
  }),
  words: t.field({
    type: [TimedTextRef],
    nullable: true,
    description: `When each of its words is heard. ${SPOKEN}`,
    extensions: { length: SPEECH_LENGTH.words },
    resolve: async (job, _args, ctx) => (await speechTimesOf(ctx, job))?.words ?? null,
  }),
  sentences: t.field({
    type: [TimedTextRef],
    nullable: true,
    description: `When each of its sentences is heard. ${SPOKEN}`,
    extensions: { length: SPEECH_LENGTH.sentences },
    resolve: async (job, _args, ctx) => (await speechTimesOf(ctx, job))?.sentences ?? null,
  }),
}))

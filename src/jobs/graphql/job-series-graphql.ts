import { builder, type GraphqlContext } from '../../graphql/builder.ts'
import { describedEnum } from '../../graphql/described-enum.ts'
import { selectedFields } from '../../graphql/selected-fields.ts'
import { type JobPoint, type JobSeries, jobSeries } from '../series/job-series.ts'
import { mostSteps, type SeriesStep } from '../series/series-steps.ts'
import { PercentilesRef } from './job-stats-graphql.ts'
import { JobsFilterInput } from './jobs-graphql.ts'

const POINTS_PER_COST = 20

const SeriesStepEnum = describedEnum<SeriesStep>('SeriesStep', 'How long a step of a series is.', {
  minute: 'One minute.',
  five_minutes: 'Five minutes.',
  quarter_hour: 'Fifteen minutes.',
  hour: 'One hour.',
  six_hours: 'Six hours.',
  day: 'A day of the time zone.',
})

const JobPointRef = builder.objectRef<JobPoint>('JobPoint').implement({
  description: 'What happened to jobs in one step, each event by its own time. Numbers of jobs are whole.',
  fields: (t) => ({
    at: t.expose('at', { type: 'DateTime', description: 'When the step begins.' }),
    accepted: t.exposeFloat('accepted', { description: 'Jobs that were accepted in it.' }),
    completed: t.exposeFloat('completed', { description: 'Jobs that were completed in it.' }),
    failed: t.exposeFloat('failed', { description: 'Jobs that failed, or were cancelled, in it.' }),
    waiting: t.exposeFloat('waiting', { description: 'Jobs that waited for a worker at its end.' }),
    waitMs: t.expose('waitMs', {
      type: PercentilesRef,
      nullable: true,
      description: 'From acceptance to start, of the jobs that a worker took in it; null without any.',
    }),
    runMs: t.expose('runMs', {
      type: PercentilesRef,
      nullable: true,
      description: 'From start to end, of the jobs that ended in it; null without any.',
    }),
    audioSeconds: t.exposeFloat('audioSeconds', {
      description: 'Seconds of audio of the jobs that were completed in it.',
    }),
    realTimeFactor: t.exposeFloat('realTimeFactor', {
      nullable: true,
      description:
        'How many seconds the jobs that were completed in it ran for each second of their audio, within 4.5 %; null without audio. Jobs of workflows run without making any: filter by the type VOICE.',
    }),
  }),
})

const JobSeriesRef = builder.objectRef<JobSeries>('JobSeries').implement({
  description: 'How jobs went on over a window of time. Percentiles are within 4.5 % of the exact ones.',
  fields: (t) => ({
    step: t.field({
      type: SeriesStepEnum,
      description: 'A longer one than was asked for where that would make more than 10,000 points.',
      resolve: ({ step }) => step,
    }),
    points: t.field({
      type: [JobPointRef],
      description: 'One for each step, oldest first, empty ones included.',
      extensions: { length: 1 },
      resolve: ({ points }) => [...points],
    }),
  }),
})

const asksAudio = (fields: ReadonlySet<string>): boolean => fields.has('audioSeconds') || fields.has('realTimeFactor')

builder.queryField('jobSeries', (t) =>
  t.field({
    type: JobSeriesRef,
    description:
      "How the account's jobs that match went on over a window of time, step by step. Of another account, or of all, it needs the scope operator, or a signed-in operator.",
    args: {
      from: t.arg({
        type: 'DateTime',
        required: true,
        description: 'The first step is the one that it lies in, whole.',
      }),
      to: t.arg({ type: 'DateTime', description: 'Exclusive; now unless given.' }),
      step: t.arg({ type: SeriesStepEnum, required: true, description: 'How long a step is.' }),
      timeZone: t.arg.string({ description: 'Whose days: `Europe/Berlin`. UTC unless given.' }),
      filter: t.arg({ type: JobsFilterInput, description: 'Of which jobs.' }),
      account: t.arg.id({ description: "Id or name; the caller's own unless given." }),
      all: t.arg.boolean({ description: 'Of all accounts together. Not with an account.' }),
    },
    resolve: (_root, args, ctx, info) =>
      jobSeries(ctx, { ...args, withAudio: asksAudio(selectedFields(info, 'points')) }),
    extensions: {
      verb: jobSeries,
      length: (given: Record<string, unknown>, ctx: GraphqlContext) => mostSteps(given, ctx.now()) / POINTS_PER_COST,
    },
  }),
)

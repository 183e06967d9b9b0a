import { keyNames } from '../../api-keys/api-keys.ts'
import { BatchLoader } from '../../concurrency/batch-loader.ts'
import { builder, type GraphqlContext } from '../../graphql/builder.ts'
import { selectedFields } from '../../graphql/resolved-by.ts'
import { describedEnum } from '../../graphql/scalars.ts'
import { type JobStats, jobStats } from '../list/job-stats.ts'
import { JOB_MEASURES, type JobGroup } from '../list/stats-request.ts'
import type { Percentiles } from '../rollup/histogram.ts'
import { type JobPoint, type JobSeries, jobSeries, mostSteps, type SeriesStep } from '../series/job-series.ts'
import { JobErrorCodeEnum, JobStatusEnum, JobTypeEnum } from './job-graphql.ts'
import { JobsFilterInput } from './jobs-graphql.ts'

const JobGroupEnum = describedEnum<JobGroup>(
  'JobGroup',
  'By what jobs are put together. Hours and days are those of their acceptance, in UTC.',
  {
    type: 'By type.',
    status: 'By status.',
    endpoint: 'By their endpoint key.',
    api_key: 'By the key that they were submitted with.',
    error_code: 'By error code.',
    hour: 'By the hour.',
    day: 'By the day.',
  },
)

const PercentilesRef = builder.objectRef<Percentiles>('Percentiles').implement({
  description:
    'Percentiles of a duration in milliseconds: of more than 10,000 jobs each within 4.5 % of the exact one, else exact.',
  fields: (t) => ({
    p50: t.exposeFloat('p50', { description: 'Half of them.' }),
    p95: t.exposeFloat('p95', { description: '95 of 100.' }),
    p99: t.exposeFloat('p99', { description: '99 of 100.' }),
  }),
})

const names = new BatchLoader<GraphqlContext, string>(keyNames)

const JobStatsRef = builder.objectRef<JobStats>('JobStats').implement({
  description: 'A group of jobs. Dimensions that it is not grouped by are null.',
  fields: (t) => ({
    type: t.expose('type', { type: JobTypeEnum, nullable: true, description: 'By TYPE: the type.' }),
    status: t.expose('status', { type: JobStatusEnum, nullable: true, description: 'By STATUS: the status.' }),
    endpointKey: t.exposeString('endpointKey', { nullable: true, description: 'By ENDPOINT: `voice.tts`.' }),
    apiKeyId: t.exposeID('apiKeyId', {
      nullable: true,
      description: 'By API_KEY: the key; null for jobs without one, too.',
    }),
    apiKeyName: t.string({
      nullable: true,
      description: 'By API_KEY: its name; null after that key is deleted.',
      resolve: async ({ apiKeyId }, _args, ctx) => (apiKeyId == null ? null : names.load(ctx, apiKeyId)),
    }),
    errorCode: t.expose('errorCode', {
      type: JobErrorCodeEnum,
      nullable: true,
      description: 'By ERROR_CODE: the error code; null for jobs that did not fail.',
    }),
    hour: t.expose('hour', { type: 'DateTime', nullable: true, description: 'By HOUR: its beginning.' }),
    day: t.expose('day', { type: 'DateTime', nullable: true, description: 'By DAY: its beginning.' }),
    jobs: t.exposeFloat('jobs', { description: 'How many: a whole number.' }),
    characters: t.exposeFloat('characters', { nullable: true, description: 'Characters of the texts of voice jobs.' }),
    audioSeconds: t.exposeFloat('audioSeconds', { nullable: true, description: 'Seconds of audio that they made.' }),
    credits: t.exposeFloat('credits', {
      nullable: true,
      description:
        'Credits that its jobs cost, without those of failed ones. A queued job counts with what it will be charged.',
    }),
    waitMs: t.expose('waitMs', {
      type: PercentilesRef,
      nullable: true,
      description: 'From acceptance to start; null where none has started.',
    }),
    runMs: t.expose('runMs', {
      type: PercentilesRef,
      nullable: true,
      description: 'From start to end; null where none has ended.',
    }),
  }),
})

const GROUPS: ReadonlyMap<unknown, number> = new Map([
  ['HOUR', 250],
  ['DAY', 20],
  ['API_KEY', 10],
])
const OTHER_GROUPS = 5
const groupsBy = (names: readonly unknown[]): number =>
  Math.max(OTHER_GROUPS, ...names.map((name) => GROUPS.get(name) ?? 0))

builder.queryField('jobStats', (t) =>
  t.field({
    type: [JobStatsRef],
    description:
      "Counts and sums of the account's jobs, group by group. Only what is selected is computed. Of another account, or of all, it needs the scope operator, or a signed-in operator.",
    args: {
      account: t.arg.id({ description: "Id or name; the caller's own unless given." }),
      all: t.arg.boolean({ description: 'Of all accounts together. Not with an account.' }),
      filter: t.arg({ type: JobsFilterInput, description: 'Of which jobs.' }),
      groupBy: t.arg({ type: [JobGroupEnum], description: 'Absent: one group of all.' }),
    },
    resolve: (_root, args, ctx, info) => {
      const selected = selectedFields(info)
      return jobStats(ctx, { ...args, measures: new Set(JOB_MEASURES.filter((name) => selected.has(name))) })
    },
    extensions: { verb: jobStats, length: ({ groupBy }: Record<string, unknown>) => groupsBy([groupBy].flat()) },
  }),
)

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

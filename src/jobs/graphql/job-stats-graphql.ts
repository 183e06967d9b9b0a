import { keyNames } from '../../api-keys/key-names.ts'
import { BatchLoader } from '../../concurrency/batch-loader.ts'
import { builder, type GraphqlContext } from '../../graphql/builder.ts'
import { describedEnum } from '../../graphql/described-enum.ts'
import { selectedFields } from '../../graphql/selected-fields.ts'
import { type JobStats, jobStats } from '../list/job-stats.ts'
import { JOB_MEASURES, type JobGroup } from '../list/stats-request.ts'
import type { Percentiles } from '../rollup/histogram.ts'
import { JobErrorCodeEnum, JobStatusEnum, JobTypeEnum } from './job-enums-graphql.ts'
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

export const PercentilesRef = builder.objectRef<Percentiles>('Percentiles').implement({
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

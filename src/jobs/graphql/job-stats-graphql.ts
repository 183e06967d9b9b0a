import type { GraphQLResolveInfo } from 'graphql'
import { ApiKeyRef } from '../../api-keys/api-key-graphql.ts'
import { keyNameLoader, loadKeys } from '../../api-keys/api-keys.ts'
import type { JobType } from '../../catalog/job-kinds.ts'
import { builder, type GraphqlContext } from '../../graphql/builder.ts'
import { loadedBy, NONE_OR_UNSEEN, selectedFields } from '../../graphql/resolved-by.ts'
import { describedEnum } from '../../graphql/scalars.ts'
import { OF_CALLER } from '../../graphql/seen-by.ts'
import { UserRef } from '../../users/user-graphql.ts'
import { loadUsers } from '../../users/users.ts'
import type { JobErrorCode, JobStatus } from '../job-states.ts'
import { type JobStats, jobStats } from '../list/job-stats.ts'
import { GROUPS_OF_ROWS, JOB_MEASURES, type JobGroup, UTC } from '../list/stats-request.ts'
import type { Percentiles } from '../rollup/histogram.ts'
import {
  type JobPoint,
  type JobSeries,
  type JobSeriesGroup,
  jobSeries,
  MAX_SERIES_GROUPS,
  mostSteps,
  type SeriesStep,
} from '../series/job-series.ts'
import { JobErrorCodeEnum, JobStatusEnum, JobTypeEnum } from './job-graphql.ts'
import { JobsFilterInput } from './jobs-graphql.ts'

const JobGroupEnum = describedEnum<JobGroup>(
  'JobGroup',
  "Property by which jobs are grouped. Hours and days are those of the jobs' acceptance.",
  {
    type: 'Type of the job.',
    status: 'Status of the job.',
    endpoint: 'Endpoint or workflow of the job.',
    api_key: 'API key that submitted the job.',
    error_code: 'Error code of the job.',
    voice: 'Voice that was asked for.',
    language: 'Language of the voice job.',
    user: 'User that submitted the job.',
    tag: 'Tag of the job. A job counts in each of its tags.',
    hour: "Hour of the job's acceptance.",
    day: "Day of the job's acceptance.",
  },
)

const PercentilesRef = builder.objectRef<Percentiles>('Percentiles').implement({
  description:
    'Percentiles of a duration in milliseconds: exact for up to 10,000 jobs, within 4.5 % of the exact value for more.',
  fields: (t) => ({
    p50: t.exposeFloat('p50', { description: 'Milliseconds within which half of the jobs were done.' }),
    p95: t.exposeFloat('p95', { description: 'Milliseconds within which 95 of 100 jobs were done.' }),
    p99: t.exposeFloat('p99', { description: 'Milliseconds within which 99 of 100 jobs were done.' }),
  }),
})

const toKeyName = <Group>(idOf: (group: Group) => string | null) => ({
  nullable: true as const,
  description: 'Name of that API key, also after it is deleted.',
  async resolve(group: Group, _args: object, ctx: GraphqlContext): Promise<string | null> {
    const id = idOf(group)
    return id === null ? null : ((await keyNameLoader.load(ctx, id))?.name ?? null)
  },
})

const toKeyDeleted = <Group>(idOf: (group: Group) => string | null) => ({
  description: 'True if that API key was deleted.',
  async resolve(group: Group, _args: object, ctx: GraphqlContext): Promise<boolean> {
    const id = idOf(group)
    return id !== null && (await keyNameLoader.load(ctx, id))?.isDeleted === true
  },
})

const JobStatsRef = builder.objectRef<JobStats>('JobStats').implement({
  description: 'Group of jobs with its counts and sums. Properties that `groupBy` does not name are null.',
  fields: (t) => ({
    type: t.expose('type', { type: JobTypeEnum, nullable: true, description: 'Type of the jobs.' }),
    status: t.expose('status', { type: JobStatusEnum, nullable: true, description: 'Status of the jobs.' }),
    endpointKey: t.exposeString('endpointKey', {
      nullable: true,
      description: 'Endpoint or workflow of the jobs: `voice.tts`.',
    }),
    apiKeyId: t.exposeID('apiKeyId', {
      nullable: true,
      description: 'Id of the API key that submitted the jobs; null for jobs without one, too.',
    }),
    apiKeyName: t.string(toKeyName(({ apiKeyId }: JobStats) => apiKeyId ?? null)),
    isApiKeyDeleted: t.boolean(toKeyDeleted(({ apiKeyId }: JobStats) => apiKeyId ?? null)),
    errorCode: t.expose('errorCode', {
      type: JobErrorCodeEnum,
      nullable: true,
      description: 'Error code of the jobs; null for jobs that did not fail, too.',
    }),
    hour: t.expose('hour', { type: 'DateTime', nullable: true, description: 'Beginning of the hour.' }),
    day: t.expose('day', { type: 'DateTime', nullable: true, description: 'Beginning of the day.' }),
    jobs: t.exposeFloat('jobs', { description: 'Number of the jobs: a whole number.' }),
  }),
})

builder.objectFields(JobStatsRef, (t) => ({
  characters: t.exposeFloat('characters', { nullable: true, description: "Characters of the voice jobs' texts." }),
  audioSeconds: t.exposeFloat('audioSeconds', {
    nullable: true,
    description: 'Seconds of audio that the jobs made.',
  }),
  credits: t.exposeFloat('credits', {
    nullable: true,
    description:
      'Credits that the jobs cost, without those of failed ones. A queued job counts with what it will be charged.',
  }),
  waitMs: t.expose('waitMs', {
    type: PercentilesRef,
    nullable: true,
    description: 'Time from acceptance to start; null if no job has started.',
  }),
  runMs: t.expose('runMs', {
    type: PercentilesRef,
    nullable: true,
    description: 'Time from start to end; null if no job has ended.',
  }),
}))

builder.objectFields(JobStatsRef, (t) => ({
  voice: t.exposeString('voice', {
    nullable: true,
    description: 'Voice that was asked for; null for jobs of other types and from before voices were stored, too.',
  }),
  language: t.exposeString('language', {
    nullable: true,
    description: 'Language of the voice jobs; null for jobs without a known one, too.',
  }),
  userId: t.exposeID('userId', {
    nullable: true,
    description: 'Id of the user that submitted the jobs; null for jobs that no signed-in user submitted, too.',
  }),
  tag: t.exposeString('tag', { nullable: true, description: 'Tag of the jobs; null for jobs without tags, too.' }),
}))

const toKey = <Group>(idOf: (group: Group) => string | null) => ({
  description: `Key that submitted the jobs. ${NONE_OR_UNSEEN}`,
  ...loadedBy(ApiKeyRef, loadKeys, idOf),
  extensions: { [OF_CALLER]: true },
})

const toUser = <Group>(idOf: (group: Group) => string | null) => ({
  description: `User that submitted the jobs. ${NONE_OR_UNSEEN}`,
  ...loadedBy(UserRef, loadUsers, idOf),
  extensions: { [OF_CALLER]: true },
})

builder.objectFields(JobStatsRef, (t) => ({
  apiKey: t.prismaField(toKey(({ apiKeyId }: JobStats) => apiKeyId ?? null)),
  user: t.prismaField(toUser(({ userId }: JobStats) => userId ?? null)),
}))

const GROUPS: ReadonlyMap<unknown, number> = new Map([
  ['HOUR', 250],
  ['DAY', 20],
  ['API_KEY', 10],
])
const OTHER_GROUPS = 5
/** PostgreSQL reads each job. */
const READ_GROUPS = 250
const READ: ReadonlySet<unknown> = new Set([...GROUPS_OF_ROWS].map((group) => group.toUpperCase()))

function groupsBy({ groupBy, timeZone }: Readonly<Record<string, unknown>>): number {
  const names = [groupBy].flat()
  const isRead = (timeZone != null && timeZone !== UTC) || names.some((name) => READ.has(name))
  return Math.max(isRead ? READ_GROUPS : OTHER_GROUPS, ...names.map((name) => GROUPS.get(name) ?? 0))
}

builder.queryField('jobStats', (t) =>
  t.field({
    type: [JobStatsRef],
    description:
      "Counts and sums of the account's jobs, group by group. Only the selected fields are computed. Another account, or all accounts, need the scope operator, or a signed-in operator.",
    args: {
      account: t.arg.id({ description: "Id or name of an account; the caller's own unless given." }),
      all: t.arg.boolean({ description: 'True for all accounts together. Not together with `account`.' }),
      filter: t.arg({ type: JobsFilterInput, description: 'Jobs that are counted; all of them unless given.' }),
      groupBy: t.arg({
        type: [JobGroupEnum],
        description: 'Properties by which the jobs are grouped; without them, all jobs are one group.',
      }),
      timeZone: t.arg.string({
        description: 'Time zone of the hours and days of `groupBy`: `Asia/Kolkata`. UTC unless given.',
      }),
    },
    resolve: (_root, args, ctx, info) => {
      const selected = selectedFields(info)
      return jobStats(ctx, { ...args, measures: new Set(JOB_MEASURES.filter((name) => selected.has(name))) })
    },
    extensions: { verb: jobStats, length: groupsBy },
  }),
)

const POINTS_PER_COST = 20

const SeriesStepEnum = describedEnum<SeriesStep>('SeriesStep', 'Length of a step in a series.', {
  minute: 'One minute.',
  five_minutes: 'Five minutes.',
  quarter_hour: 'Fifteen minutes.',
  hour: 'One hour.',
  six_hours: 'Six hours.',
  day: 'One day of the time zone.',
})

const JobPointRef = builder.objectRef<JobPoint>('JobPoint').implement({
  description: 'Numbers of what happened to jobs in one step, each event by its own time.',
  fields: (t) => ({
    at: t.expose('at', { type: 'DateTime', description: 'Beginning of the step.' }),
    accepted: t.exposeFloat('accepted', { description: 'Number of jobs that were accepted in the step.' }),
    completed: t.exposeFloat('completed', { description: 'Number of jobs that were completed in the step.' }),
    failed: t.exposeFloat('failed', { description: 'Number of jobs that failed, or were cancelled, in the step.' }),
    waiting: t.exposeFloat('waiting', {
      description: 'Number of jobs that waited for a worker at the end of the step.',
    }),
    waitMs: t.expose('waitMs', {
      type: PercentilesRef,
      nullable: true,
      description: 'Time from acceptance to start of the jobs that a worker took in the step; null without any.',
    }),
    runMs: t.expose('runMs', {
      type: PercentilesRef,
      nullable: true,
      description: 'Time from start to end of the jobs that ended in the step; null without any.',
    }),
    audioSeconds: t.exposeFloat('audioSeconds', {
      description: 'Seconds of audio of the jobs that were completed in the step.',
    }),
    realTimeFactor: t.exposeFloat('realTimeFactor', {
      nullable: true,
      description:
        'Seconds that the jobs completed in the step ran for each second of their audio, within 4.5 %; null without audio. Workflows run without making audio, so filter by the type VOICE.',
    }),
  }),
})

builder.objectFields(JobPointRef, (t) => ({
  credits: t.exposeFloat('credits', {
    description:
      'Credits that the jobs accepted in the step cost, without those of failed ones. A queued job counts with what it will be charged.',
  }),
  characters: t.exposeFloat('characters', {
    description: 'Characters of the texts of the voice jobs that were accepted in the step.',
  }),
}))

const dimension = (name: JobGroup) => (group: JobSeriesGroup) => group.dimensions[name] ?? null

const JobSeriesGroupRef = builder.objectRef<JobSeriesGroup>('JobSeriesGroup').implement({
  description: 'Series of a group of jobs. Properties that `groupBy` does not name are null.',
  fields: (t) => ({
    type: t.field({
      type: JobTypeEnum,
      nullable: true,
      description: 'Type of the jobs.',
      resolve: (group) => dimension('type')(group) as JobType | null,
    }),
    status: t.field({
      type: JobStatusEnum,
      nullable: true,
      description: 'Status of the jobs now.',
      resolve: (group) => dimension('status')(group) as JobStatus | null,
    }),
    errorCode: t.field({
      type: JobErrorCodeEnum,
      nullable: true,
      description: 'Error code of the jobs; null for jobs that did not fail, too.',
      resolve: (group) => dimension('error_code')(group) as JobErrorCode | null,
    }),
    points: t.field({
      type: [JobPointRef],
      description: 'Points of the group, one for each step, oldest first, empty ones included.',
      extensions: { length: 1 },
      resolve: ({ points }) => [...points],
    }),
  }),
})

builder.objectFields(JobSeriesGroupRef, (t) => ({
  endpointKey: t.string({
    nullable: true,
    description: 'Endpoint or workflow of the jobs: `voice.tts`.',
    resolve: dimension('endpoint'),
  }),
  apiKeyId: t.id({
    nullable: true,
    description: 'Id of the API key that submitted the jobs; null for jobs without one, too.',
    resolve: dimension('api_key'),
  }),
  apiKeyName: t.string(toKeyName(dimension('api_key'))),
  isApiKeyDeleted: t.boolean(toKeyDeleted(dimension('api_key'))),
  voice: t.string({
    nullable: true,
    description: 'Voice that was asked for; null for jobs of other types, too.',
    resolve: dimension('voice'),
  }),
  language: t.string({
    nullable: true,
    description: 'Language of the voice jobs; null for jobs without a known one, too.',
    resolve: dimension('language'),
  }),
  userId: t.id({
    nullable: true,
    description: 'Id of the user that submitted the jobs; null for jobs that no signed-in user submitted, too.',
    resolve: dimension('user'),
  }),
  tag: t.string({
    nullable: true,
    description: 'Tag of the jobs; null for jobs without tags, too.',
    resolve: dimension('tag'),
  }),
}))

builder.objectFields(JobSeriesGroupRef, (t) => ({
  apiKey: t.prismaField(toKey(dimension('api_key'))),
  user: t.prismaField(toUser(dimension('user'))),
}))

const JobSeriesRef = builder.objectRef<JobSeries>('JobSeries').implement({
  description: 'Numbers of jobs over a range of time, step by step. Percentiles are within 4.5 % of the exact ones.',
  fields: (t) => ({
    step: t.field({
      type: SeriesStepEnum,
      description: 'Length of a step: longer than requested if that would make more than 10,000 points.',
      resolve: ({ step }) => step,
    }),
    points: t.field({
      type: [JobPointRef],
      description: 'Points of the series, one for each step, oldest first, empty ones included.',
      extensions: { length: 1 },
      resolve: ({ points }) => [...points],
    }),
    groups: t.field({
      type: [JobSeriesGroupRef],
      nullable: true,
      description: `Groups of the jobs by \`groupBy\`, those with most jobs first, at most ${MAX_SERIES_GROUPS}; null without it.`,
      extensions: { length: MAX_SERIES_GROUPS },
      resolve: ({ groups }) => groups && [...groups],
    }),
    hasMoreGroups: t.exposeBoolean('hasMoreGroups', {
      description: 'True if there are groups with fewer jobs that `groups` leaves out.',
    }),
  }),
})

function measuresIn(info: GraphQLResolveInfo) {
  const selected = new Set([...selectedFields(info, 'points'), ...selectedFields(info, 'groups', 'points')])
  return {
    withPoints: selectedFields(info).has('points'),
    withAudio: selected.has('audioSeconds') || selected.has('realTimeFactor'),
    withCharacters: selected.has('characters'),
  }
}

builder.queryField('jobSeries', (t) =>
  t.field({
    type: JobSeriesRef,
    description:
      "Numbers of the account's jobs over a range of time, step by step. Another account, or all accounts, need the scope operator, or a signed-in operator.",
    args: {
      from: t.arg({
        type: 'DateTime',
        required: true,
        description: 'Beginning of the range; the whole step that contains it is the first one.',
      }),
      to: t.arg({ type: 'DateTime', description: 'End of the range, exclusive; now unless given.' }),
      step: t.arg({ type: SeriesStepEnum, required: true, description: 'Length of a step.' }),
      timeZone: t.arg.string({ description: 'Time zone of the days, such as `Europe/Berlin`; UTC unless given.' }),
      filter: t.arg({ type: JobsFilterInput, description: 'Jobs that are counted; all of them unless given.' }),
      groupBy: t.arg({
        type: [JobGroupEnum],
        description: 'Properties of the series in `groups`, without HOUR and DAY.',
      }),
      account: t.arg.id({ description: "Id or name of an account; the caller's own unless given." }),
      all: t.arg.boolean({ description: 'True for all accounts together. Not together with `account`.' }),
    },
    resolve: (_root, args, ctx, info) => jobSeries(ctx, { ...args, ...measuresIn(info) }),
    extensions: {
      verb: jobSeries,
      length: (given: Record<string, unknown>, ctx: GraphqlContext) => mostSteps(given, ctx.now()) / POINTS_PER_COST,
    },
  }),
)

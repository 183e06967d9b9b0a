import type { Usage, UsageGroup } from './usage.ts'

/** Columns of groups, named as those of a job. */
const NAMES: Readonly<Record<UsageGroup, string>> = {
  api_key: 'api_key_id',
  endpoint: 'endpoint_key',
  type: 'type',
  status: 'status',
  voice: 'voice',
  tag: 'tag',
}

/** Usage as REST and the command line send it. */
export const presentUsage = ({ asOf, rows }: Usage) => ({
  as_of: asOf.toISOString(),
  rows: rows.map(({ bucket, jobs, credits, characters, audioSeconds, ...groups }) => ({
    bucket: bucket.toISOString(),
    ...Object.fromEntries(Object.entries(groups).map(([group, value]) => [NAMES[group as UsageGroup], value])),
    ...{ jobs, credits, characters, audio_seconds: audioSeconds },
  })),
})

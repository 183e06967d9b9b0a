import { knownKey, poolOfJob } from '../../catalog/pool-of-job.ts'
import type { Parts } from '../../context/context.ts'
import type { MeasuredParts } from '../../telemetry/telemetry.ts'
import type { Claim } from '../lifecycle/claim-job.ts'
import type { Production } from '../lifecycle/produce.ts'

/** Called after the commit. */
export function noteProduction(
  { telemetry, catalog }: Pick<Parts, 'catalog'> & MeasuredParts,
  { endpointKey, inputs }: Pick<Claim, 'endpointKey' | 'inputs'>,
  { artifacts, renderSeconds }: Pick<Production, 'artifacts' | 'renderSeconds'>,
): void {
  if (!telemetry.measures) return
  const labels = { pool: poolOfJob(catalog, endpointKey), endpoint_key: knownKey(catalog, endpointKey) }
  const audioMs = artifacts.reduce((sum, { durationMs }) => sum + (durationMs ?? 0), 0)
  telemetry.count('audio_seconds_total', labels, audioMs / 1000)
  telemetry.count('render_seconds_total', labels, renderSeconds)
  if (typeof inputs.text === 'string') telemetry.count('characters_total', labels, [...inputs.text].length)
}

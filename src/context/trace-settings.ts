import { z } from 'zod'
import type { TraceSettings } from '../telemetry/trace-budget.ts'
import { plainUrl } from './settings-fields.ts'

const SAMPLERS = ['always_on', 'always_off', 'traceidratio'].flatMap((name) => [name, `parentbased_${name}`])

const SHARE = /^(0(\.\d+)?|1(\.0+)?)$/

export const traceFields = {
  OTEL_EXPORTER_OTLP_ENDPOINT: plainUrl
    .optional()
    .describe(
      'The collector that traces go to. It takes three packages: see [health and metrics](operating.md#health-and-metrics). Other `OTEL_*` variables set name and headers.',
    ),
  OTEL_TRACES_SAMPLER: z
    .enum(SAMPLERS, { message: `must be one of ${SAMPLERS.join(', ')}` })
    .optional()
    .describe(`How traces are sampled: ${SAMPLERS.map((name) => `\`${name}\``).join(', ')}.`),
  // The SDK reads this variable itself and takes an invalid number for 1.
  OTEL_TRACES_SAMPLER_ARG: z
    .string()
    .regex(SHARE, 'must be a number from 0 to 1')
    .optional()
    .describe('The share of traces that `traceidratio` keeps, from 0 to 1.'),
}

interface Values {
  readonly OTEL_EXPORTER_OTLP_ENDPOINT?: string | undefined
  readonly OTEL_TRACES_SAMPLER?: string | undefined
}

export const traceSettings = (values: Values): TraceSettings | null =>
  values.OTEL_EXPORTER_OTLP_ENDPOINT === undefined
    ? null
    : { endpoint: values.OTEL_EXPORTER_OTLP_ENDPOINT, sampler: values.OTEL_TRACES_SAMPLER ?? null }

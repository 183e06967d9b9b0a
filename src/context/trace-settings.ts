import { z } from 'zod'
import type { TraceSettings } from '../telemetry/bounded-sampler.ts'
import { plainUrl } from './settings-fields.ts'

/** As OpenTelemetry's specification of environment variables has them. */
const SAMPLERS = ['always_on', 'always_off', 'traceidratio'].flatMap((name) => [name, `parentbased_${name}`])

/** The variables that set where spans are sent, and how they are sampled. */
export const traceFields = {
  OTEL_EXPORTER_OTLP_ENDPOINT: plainUrl.optional(),
  OTEL_TRACES_SAMPLER: z.enum(SAMPLERS, { message: `must be one of ${SAMPLERS.join(', ')}` }).optional(),
}

interface Values {
  readonly OTEL_EXPORTER_OTLP_ENDPOINT?: string | undefined
  readonly OTEL_TRACES_SAMPLER?: string | undefined
}

/** What they say; null without a collector. */
export const traceSettings = (values: Values): TraceSettings | null =>
  values.OTEL_EXPORTER_OTLP_ENDPOINT === undefined
    ? null
    : { endpoint: values.OTEL_EXPORTER_OTLP_ENDPOINT, sampler: values.OTEL_TRACES_SAMPLER ?? null }

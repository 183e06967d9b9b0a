import type { ServerSpan } from '../../src/telemetry/spans.ts'

// `src/telemetry/spans.ts` as it would be without tracing: the floor of what tracing costs.

type Work<Result> = () => Promise<Result>

const through = <Result>(_span: unknown, work: Work<Result>): Promise<Result> => work()
const NO_SPAN: ServerSpan = { run: (work) => work(), end: () => undefined }

export const traceHeaders = (): Record<string, string> => ({})
export const traceFields = (): object => ({})
export const noteStatus = (): void => undefined
export const noteFailure = (): void => undefined
export const inProducerSpan = through
export const inClientSpan = through
export const inStepSpan = through
export const inConsumerSpan = <Result>(_span: unknown, _trace: unknown, work: Work<Result>): Promise<Result> => work()
export const isTraced = (): boolean => false
export const startServerSpan = (): ServerSpan => NO_SPAN

import { builder } from './builder.ts'

export const TimeRangeInput = builder.inputType('TimeRange', {
  description: 'A window of time; either end may be open.',
  fields: (t) => ({
    from: t.field({ type: 'DateTime', description: 'Inclusive.' }),
    to: t.field({ type: 'DateTime', description: 'Exclusive.' }),
  }),
})

import { builder } from '../../graphql/builder.ts'

export interface SubmitOptions {
  readonly tags?: readonly string[] | null | undefined
}

export const SubmitOptionsInput = builder.inputRef<SubmitOptions>('SubmitOptions').implement({
  description: 'Options of a submission that its job keeps.',
  fields: (t) => ({
    tags: t.stringList({
      description:
        'Names to find the job by, for filters and statistics: at most 10 of 1 to 64 characters each, without control characters. Equal ones count once.',
    }),
  }),
})

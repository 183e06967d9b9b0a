import { type ErrorCode, HTTP_STATUS } from '../errors.ts'
import { builder } from './builder.ts'
import { ExpectedRefusal } from './expected-refusal.ts'

export const ErrorCodeEnum = builder.enumType('ErrorCode', {
  description: 'Why a request was refused: the value to branch on, the same as behind REST.',
  values: Object.fromEntries(Object.keys(HTTP_STATUS).map((value) => [value, { value }])) as {
    [C in ErrorCode]: { value: C }
  },
})

const DetailRef = builder.objectRef<{ path: string; message: string }>('ErrorDetail').implement({
  description: 'One failed validation.',
  fields: (t) => ({
    path: t.exposeString('path', { description: 'Where it is: a JSON pointer, or the name of an argument.' }),
    message: t.exposeString('message', { description: 'What is wrong there.' }),
  }),
})

builder.objectType(ExpectedRefusal, {
  name: 'RequestError',
  description:
    'Why a mutation changed nothing. Failed authorisation, rate limits and failures of the service are not here but among the errors of the answer.',
  fields: (t) => ({
    message: t.exposeString('message', { description: 'What to do next, in one sentence.' }),
    code: t.field({ type: ErrorCodeEnum, description: 'The value to branch on.', resolve: ({ code }) => code }),
    details: t.field({
      type: [DetailRef],
      description: 'Each failed validation.',
      resolve: ({ details }) => [...(details ?? [])],
    }),
    requestId: t.string({
      description: 'What the log calls the request: support asks for it.',
      resolve: (_refusal, _args, ctx) => ctx.requestId,
    }),
  }),
})

/** For `npm run codegen`: the types and documents of src/operations.graphql. Scalars are as they are in JSON. */
export default {
  schema: '../../schema.graphql',
  documents: 'src/**/*.graphql',
  generates: {
    'src/gql/': {
      preset: 'client',
      presetConfig: { fragmentMasking: false },
      config: {
        scalars: { DateTime: 'string', ID: 'string', JSON: 'unknown', URL: 'string' },
        strictScalars: true,
        enumType: 'string-literal',
        useTypeImports: true,
      },
    },
  },
}

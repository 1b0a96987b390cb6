/* global SwaggerUIBundle */

/** A copy in which references within the document are replaced by what they name; `$$ref` keeps the name for the page. */
const inlined = (value, document, within = []) => {
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map((item) => inlined(item, document, within));
  const { $ref } = value;
  if (typeof $ref !== 'string')
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, inlined(item, document, within)]),
    );
  if (within.includes($ref)) return value; // a type that has itself in it
  const named = $ref
    .slice('#/'.length)
    .split('/')
    .reduce((part, key) => part[key], document);
  return { ...inlined(named, document, [...within, $ref]), $$ref: $ref };
};

/** Swagger UI's own reads the whole document, with all of its types, each time an operation is opened: seconds. */
const resolveSubtree = async (document, path) => ({
  spec: inlined(
    path.reduce((part, key) => part?.[key], document),
    document,
  ),
  errors: [],
});

SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#docs',
  deepLinking: true,
  displayRequestDuration: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  filter: true,
  // Requests of this document only.
  validatorUrl: null,
  plugins: [{ fn: { resolveSubtree } }],
});

// Swagger UI has dark colours, and leaves it to the page when they are worn.
const dark = matchMedia('(prefers-color-scheme: dark)');
const wear = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', wear);
wear();

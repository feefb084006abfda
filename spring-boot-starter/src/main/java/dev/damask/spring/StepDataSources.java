package dev.damask.spring;

import java.lang.reflect.Modifier;
import javax.sql.DataSource;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.config.BeanPostProcessor;

/// Lets the data sources of an application hand out the connection of a step. They do so only while
/// a transaction manager begins the transaction of that step; every other call gets a connection of
/// its own.
final class StepDataSources implements BeanPostProcessor, MethodInterceptor {
  /// The connection that a data source hands out in this call.
  ///
  /// @param source the data source of the engine
  record Offer(DataSource source, StepConnection connection) {}

  static final ScopedValue<Offer> OFFER = ScopedValue.newInstance();

  @Override
  public Object postProcessAfterInitialization(Object bean, String name) {
    if (!(bean instanceof DataSource)) {
      return bean;
    }
    ProxyFactory factory = new ProxyFactory(bean);
    // The proxy keeps the class, so that it can be injected as what the application declares.
    factory.setProxyTargetClass(!Modifier.isFinal(bean.getClass().getModifiers()));
    factory.addAdvice(this);
    return factory.getProxy(bean.getClass().getClassLoader());
  }

  @Override
  public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
    boolean isConnecting = invocation.getMethod().getName().equals("getConnection");
    if (isConnecting && OFFER.isBound() && isFor(OFFER.get(), invocation)) {
      return OFFER.get().connection().take();
    }
    return invocation.proceed();
  }

  private static boolean isFor(Offer offer, MethodInvocation invocation) {
    return invocation instanceof ProxyMethodInvocation on && on.getProxy() == offer.source;
  }
}
